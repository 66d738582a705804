import { decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import type { Sats } from "@lockstep/kernel/quantities"
import { txGraph, type TxGraph, type TxHandle } from "@lockstep/txgraph"
import * as Result from "effect/Result"
import { ownCopy } from "../options/shared-copies.ts"
import { storedBytes } from "./byte-arena.ts"
import type { Entry, EntryFacts, LockPoints, TxMempoolOptions } from "./contract.ts"
import { compareTxids, type EntryColumns, entryColumns, hashAt } from "./entry-columns.ts"
import { type IdIndex, idIndex } from "./id-index.ts"
import { memoryUsage } from "./memory-usage.ts"
import { type RollingMinimum, rollingMinimum } from "./rolling-minimum.ts"
import { type SpentIndex, spentIndex } from "./spent-index.ts"

/** The whole state of a mempool. */
export interface MempoolState {
  readonly options: TxMempoolOptions
  readonly graph: TxGraph
  readonly columns: EntryColumns
  readonly byTxid: IdIndex
  readonly byWtxid: IdIndex
  readonly spent: SpentIndex
  readonly minimum: RollingMinimum
  /** Fee deltas by hexadecimal txid in wire order, also of transactions that are no entries. */
  readonly deltas: Map<string, Sats>
  readonly unbroadcast: Set<TxHandle>
  sequence: number
  updates: number
  inputs: number
  /** Memory that Bitcoin Core counts for the transactions alone. */
  bytes: number
  virtualSize: number
  fees: Sats
  capacity: number
  /** No entry is older than this. */
  earliest: number
}

export const emptyState = (options: TxMempoolOptions): MempoolState => {
  const columns = entryColumns()
  return {
    options,
    graph: txGraph({ limits: options.limits, compareIds: (a, b) => compareTxids(columns, a, b) }),
    columns,
    byTxid: idIndex(options.seed, () => columns.txids),
    byWtxid: idIndex(options.seed, () => columns.wtxids),
    spent: spentIndex(options.seed),
    minimum: rollingMinimum(options.now),
    deltas: new Map(),
    unbroadcast: new Set(),
    sequence: 1,
    updates: 0,
    inputs: 0,
    bytes: 0,
    virtualSize: 0,
    fees: 0n,
    capacity: 0,
    earliest: Number.POSITIVE_INFINITY
  }
}

/** Returns a view of an entry's serialization, which is valid until the mempool changes. */
export const bytesOf = ({ columns }: MempoolState, tx: TxHandle): Uint8Array =>
  storedBytes(columns.arena, { chunk: columns.chunk[tx]!, offset: columns.offset[tx]! })

/** Returns an entry as a transaction, on such a view. */
export const transactionIn = (state: MempoolState, tx: TxHandle): Transaction =>
  Result.getOrThrow(decodeTransaction(bytesOf(state, tx)))

export const locksOf = ({ columns }: MempoolState, tx: TxHandle): LockPoints => ({
  height: columns.lockHeight[tx]!,
  time: columns.lockTime[tx]!,
  block: new Uint8Array(hashAt(columns.lockBlocks, tx))
})

export const writeLocks = ({ columns }: MempoolState, tx: TxHandle, { block, height, time }: LockPoints): void => {
  columns.lockHeight[tx] = height
  columns.lockTime[tx] = time
  columns.lockBlocks.set(block, tx * block.length)
}

/** Returns facts of an entry. A transaction ends with its lock time: four bytes, little-endian. */
export const factsOf = (state: MempoolState, tx: TxHandle): EntryFacts => {
  const bytes = bytesOf(state, tx)
  return {
    lockTime: new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4, 4).getUint32(0, true),
    locks: locksOf(state, tx),
    spendsCoinbase: state.columns.spendsCoinbase[tx] === 1
  }
}

export const entryOf = (state: MempoolState, tx: TxHandle, copy = ownCopy): Entry => {
  const { columns } = state
  return {
    txid: copy(hashAt(columns.txids, tx)),
    wtxid: copy(hashAt(columns.wtxids, tx)),
    bytes: copy(bytesOf(state, tx)),
    fee: columns.fee[tx]!,
    modifiedFee: columns.modifiedFee[tx]!,
    weight: columns.weight[tx]!,
    virtualSize: columns.virtualSize[tx]!,
    sigOpCost: columns.sigOpCost[tx]!,
    time: columns.time[tx]!,
    height: columns.height[tx]!,
    sequence: columns.sequence[tx]!,
    locks: locksOf(state, tx),
    spendsCoinbase: columns.spendsCoinbase[tx] === 1
  }
}

/** Memory that Bitcoin Core counts for the mempool. */
export const usageOf = ({ bytes, capacity, columns, deltas, graph, inputs }: MempoolState): number =>
  memoryUsage({
    transactions: columns.count,
    inputs,
    priorities: deltas.size,
    capacity,
    graph: graph.memoryUsage(),
    bytes
  })

/** Returns handles in wire order of their txids, each once. */
export const inRawOrder = ({ columns }: MempoolState, txs: Iterable<TxHandle>): ReadonlyArray<TxHandle> =>
  [...new Set(txs)].sort((a, b) => compareTxids(columns, a, b))
