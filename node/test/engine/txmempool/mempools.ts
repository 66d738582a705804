import {
  type OutPoint,
  type Transaction,
  transactionId,
  transactionWeight,
  witnessTransactionId
} from "@lockstep/kernel/model"
import type { TxHandle } from "@lockstep/txgraph"
import type { Arrivals, Committed, NewEntry, Removed, TxMempool } from "../../../src/engine/txmempool/contract.ts"
import { txMempool } from "../../../src/engine/txmempool/txmempool.ts"
import { hexOf } from "../../../src/hex.ts"
import { idOf, loose } from "../mempool/loose-transactions.ts"
import { testCrypto } from "../test-engine.ts"

export const NOW = 1_700_000_000

export const LIMITS = { transactions: 64, size: 404_000 }

export const OPTIONS = { limits: LIMITS, maxBytes: 300_000_000, incrementalFee: 100, seed: 7, now: NOW }

export const emptyMempool = (changes: { maxBytes?: number; limits?: typeof LIMITS } = {}): TxMempool =>
  txMempool({ ...OPTIONS, ...changes })

/** An output that is confirmed. */
export const coin = (number: number): OutPoint => {
  const txid = new Uint8Array(32)
  new DataView(txid.buffer).setUint32(0, number)
  return { txid: txid.fill(0xcc, 4), vout: 0 }
}

/** A transaction with two outputs that spends these; `mark` makes another one of it. */
export const spend = (inputs: ReadonlyArray<OutPoint>, mark = 0, outputs = 2): Transaction =>
  loose({ inputs, values: Array.from({ length: outputs }, () => 1_000n), lockTime: mark })

export const entryFor = (tx: Transaction, fee: number, changes: Partial<NewEntry> = {}): NewEntry => ({
  tx,
  txid: transactionId(tx, testCrypto),
  wtxid: witnessTransactionId(tx, testCrypto),
  fee: BigInt(fee),
  weight: transactionWeight(tx),
  adjustedWeight: transactionWeight(tx),
  sigOpCost: 0,
  time: NOW,
  height: 200,
  locks: { height: 0, time: 0, block: new Uint8Array(32) },
  spendsCoinbase: false,
  ...changes
})

export const commit = (mempool: TxMempool, arrivals: Partial<Arrivals>): Committed => {
  const committed = mempool.stage({ entries: [], conflicts: [], ...arrivals }).commit()
  if (committed === undefined) throw new Error("a cluster is too large")
  return committed
}

/** Adds a transaction that has no conflicts. */
export const add = (mempool: TxMempool, tx: Transaction, fee: number, changes: Partial<NewEntry> = {}): TxHandle =>
  commit(mempool, { entries: [entryFor(tx, fee, changes)] }).added[0]!

/** Who left, by hexadecimal txid, and why. */
export const departures = (removed: ReadonlyArray<Removed>): ReadonlyArray<string> =>
  removed.map(({ entry, reason }) => `${hexOf(entry.txid)} ${reason}`)

export const nameOf = (tx: Transaction): string => hexOf(idOf(tx))

/** What {@link departures} says when these left together. */
export const left = (reason: string, ...transactions: ReadonlyArray<Transaction>): ReadonlyArray<string> =>
  transactions.map(nameOf).sort().map((name) => `${name} ${reason}`)

/** Ids of transactions in one array. */
export const idsOf = (transactions: ReadonlyArray<Transaction>): Uint8Array =>
  new Uint8Array(Buffer.concat(transactions.map(idOf)))
