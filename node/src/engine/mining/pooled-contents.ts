import { medianTimePast } from "@lockstep/kernel/chain"
import type { Transaction } from "@lockstep/kernel/model"
import type { TxHandle } from "@lockstep/txgraph"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { Entry, TxMempool } from "../txmempool/contract.ts"
import type { SelectedTransaction } from "../api/engine-notification.ts"
import type { TransactionIds } from "./block-assembly.ts"
import { DEFAULT_MINING_OPTIONS, type MiningOptions } from "../options/mining-options.ts"
import { type Selection, selectTransactions } from "./select-transactions.ts"

/** The content of a block besides its coinbase. */
export interface BlockBody {
  readonly transactions: ReadonlyArray<Pick<Transaction, "bytes">>
  readonly ids: TransactionIds
  /** Fees that the coinbase claims. */
  readonly fees: bigint
}

/** The mempool's transactions for a block. Bytes are views. */
export interface PooledContents extends BlockBody {
  /** Handles of the entries. They and the bytes are valid until the mempool changes. */
  readonly handles: ReadonlyArray<TxHandle>
  /** Weight including the reserved weight. */
  readonly weight: number
}

/** The options of this engine for making blocks. */
export const miningOptionsOf = ({ options }: ChainEngine): MiningOptions => options.mining ?? DEFAULT_MINING_OPTIONS

/** Selects the transactions of the next block. */
export const selectForNext = (engine: ChainEngine, mempool: TxMempool): Selection => {
  const { tree: { tip } } = engine
  return selectTransactions(
    mempool,
    { height: tip.height + 1, cutoff: medianTimePast(tip) },
    miningOptionsOf(engine)
  )
}

const packedIds = (handles: ReadonlyArray<TxHandle>, idOf: (tx: TxHandle) => Uint8Array): Uint8Array => {
  const ids = new Uint8Array(handles.length * 32)
  handles.forEach((tx, at) => ids.set(idOf(tx), at * 32))
  return ids
}

const selected = ({ modifiedFee, txid, virtualSize }: Entry): SelectedTransaction => ({
  txid,
  modifiedFee,
  virtualSize
})

/** Collects the mempool's transactions for the next block. */
export const pooledContents = (engine: ChainEngine, mempool: TxMempool): PooledContents => {
  const { transactions: handles, weight } = selectForNext(engine, mempool)
  if (engine.options.notifiesSelections === true) {
    engine.notify({ _tag: "Selected", transactions: handles.map((tx) => selected(mempool.entry(tx))) })
  }
  return {
    handles,
    transactions: handles.map((tx) => ({ bytes: mempool.bytes(tx) })),
    ids: { txids: packedIds(handles, mempool.txid), wtxids: packedIds(handles, mempool.wtxid) },
    fees: handles.reduce((sum, tx) => sum + mempool.fee(tx), 0n),
    weight
  }
}

/** The content of a block without mempool transactions. */
export const emptyContents = (engine: ChainEngine): PooledContents => ({
  handles: [],
  transactions: [],
  ids: { txids: new Uint8Array(), wtxids: new Uint8Array() },
  fees: 0n,
  weight: miningOptionsOf(engine).blockReservedWeight
})
