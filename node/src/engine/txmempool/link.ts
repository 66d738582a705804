import type { Transaction } from "@lockstep/kernel/model"
import { virtualSize } from "@lockstep/kernel/relay"
import type { Sats } from "@lockstep/kernel/quantities"
import type { TxHandle } from "@lockstep/txgraph"
import { ownCopy } from "../options/shared-copies.ts"
import { compactBytes, freeBytes, storeBytes } from "./byte-arena.ts"
import type { NewEntry, RemovalReason, Removed } from "./contract.ts"
import { reachHandle } from "./entry-columns.ts"
import { indexId, unindexId } from "./id-index.ts"
import { capacityWithOneLess, capacityWithOneMore, transactionUsage } from "./memory-usage.ts"
import { indexSpent, unindexSpent } from "./spent-index.ts"
import { entryOf, type MempoolState, transactionIn, writeLocks } from "./state.ts"

/** The values that an entry gets when it is staged. */
export interface Staging {
  readonly modifiedFee: Sats
  readonly sequence: number
}

/** Makes an entry of a transaction that is in the graph. */
export const link = (
  state: MempoolState,
  tx: TxHandle,
  entry: NewEntry,
  { modifiedFee, sequence }: Staging
): void => {
  const { columns } = state
  reachHandle(columns, tx)
  columns.isPresent[tx] = 1
  columns.txids.set(entry.txid, tx * 32)
  columns.wtxids.set(entry.wtxid, tx * 32)
  const { chunk, offset } = storeBytes(columns.arena, tx, entry.tx.bytes)
  columns.chunk[tx] = chunk
  columns.offset[tx] = offset
  columns.fee[tx] = entry.fee
  columns.modifiedFee[tx] = modifiedFee
  columns.weight[tx] = entry.weight
  columns.virtualSize[tx] = virtualSize(entry.adjustedWeight)
  columns.sigOpCost[tx] = entry.sigOpCost
  columns.inputs[tx] = entry.tx.inputs.length
  columns.usage[tx] = transactionUsage(entry.tx)
  columns.time[tx] = entry.time
  columns.height[tx] = entry.height
  columns.sequence[tx] = sequence
  columns.spendsCoinbase[tx] = entry.spendsCoinbase ? 1 : 0
  writeLocks(state, tx, entry.locks)
  indexId(state.byTxid, tx)
  indexId(state.byWtxid, tx)
  for (const { prevout } of entry.tx.inputs) indexSpent(state.spent, prevout, tx)
  state.capacity = capacityWithOneMore(state.capacity, columns.count)
  columns.count++
  state.inputs += columns.inputs[tx]!
  state.bytes += columns.usage[tx]!
  state.virtualSize += columns.virtualSize[tx]!
  state.fees += entry.fee
  state.earliest = Math.min(state.earliest, entry.time)
  state.updates++
}

/**
 * Removes an entry, except from the graph, from which its caller removes it next. `inputs` are the entry's, or those of
 * another transaction with its txid. By default they are decoded.
 */
export const unlink = (
  state: MempoolState,
  tx: TxHandle,
  reason: RemovalReason,
  inputs: Transaction["inputs"] = transactionIn(state, tx).inputs,
  copy = ownCopy
): Removed => {
  const { columns } = state
  const wasUnbroadcast = state.unbroadcast.delete(tx)
  const removed = { entry: entryOf(state, tx, copy), wasUnbroadcast, reason, sequence: state.sequence++ }
  for (const { prevout } of inputs) unindexSpent(state.spent, prevout)
  unindexId(state.byTxid, tx)
  unindexId(state.byWtxid, tx)
  columns.isPresent[tx] = 0
  freeBytes(columns.arena, { chunk: columns.chunk[tx]!, offset: columns.offset[tx]! })
  state.capacity = capacityWithOneLess(state.capacity, columns.count)
  columns.count--
  state.inputs -= columns.inputs[tx]!
  state.bytes -= columns.usage[tx]!
  state.virtualSize -= columns.virtualSize[tx]!
  state.fees -= columns.fee[tx]!
  state.updates++
  return removed
}

/** Frees the memory of removed entries. */
export const compact = ({ columns }: MempoolState): void =>
  compactBytes(columns.arena, (owner, { chunk, offset }) => {
    columns.chunk[owner] = chunk
    columns.offset[owner] = offset
  })
