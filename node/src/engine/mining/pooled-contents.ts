import { concatBytes } from "@lockstep/kernel/bytes"
import { medianTimePast } from "@lockstep/kernel/chain"
import { decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import type { ChainEngine } from "../chain-engine.ts"
import type { Entry, TxMempool } from "../txmempool/contract.ts"
import { type Selection, selectTransactions } from "./select-transactions.ts"
import type { TransactionIds } from "./block-assembly.ts"
import { DEFAULT_MINING_OPTIONS, type MiningOptions } from "./mining-options.ts"

/** What the mempool gives to a block. */
export interface PooledContents {
  readonly entries: ReadonlyArray<Entry>
  readonly transactions: ReadonlyArray<Transaction>
  readonly ids: TransactionIds
  readonly fees: bigint
  /** With the reserved weight. */
  readonly weight: number
}

/** How this engine makes blocks. */
export const miningOptionsOf = ({ options }: ChainEngine): MiningOptions => options.mining ?? DEFAULT_MINING_OPTIONS

/** The transactions that the next block would hold. */
export const selectForNext = (engine: ChainEngine, mempool: TxMempool): Selection => {
  const { tree: { tip } } = engine
  return selectTransactions(
    mempool,
    { height: tip.height + 1, cutoff: medianTimePast(tip) },
    miningOptionsOf(engine)
  )
}

/** What the mempool gives to the next block. */
export const pooledContents = (engine: ChainEngine, mempool: TxMempool): PooledContents => {
  const { transactions, weight } = selectForNext(engine, mempool)
  const entries = transactions.map(mempool.entry)
  return {
    entries,
    transactions: entries.map(({ bytes }) => Result.getOrThrow(decodeTransaction(bytes))),
    ids: {
      txids: concatBytes(entries.map(({ txid }) => txid)),
      wtxids: concatBytes(entries.map(({ wtxid }) => wtxid))
    },
    fees: entries.reduce((sum, { fee }) => sum + fee, 0n),
    weight
  }
}

/** What a block holds that takes nothing of the mempool. */
export const emptyContents = (engine: ChainEngine): PooledContents => ({
  entries: [],
  transactions: [],
  ids: { txids: new Uint8Array(), wtxids: new Uint8Array() },
  fees: 0n,
  weight: miningOptionsOf(engine).blockReservedWeight
})
