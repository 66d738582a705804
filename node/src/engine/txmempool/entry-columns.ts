import type { Sats } from "@lockstep/kernel/quantities"
import type { TxHandle } from "@lockstep/txgraph"
import { type ByteArena, byteArena } from "./byte-arena.ts"

/** Facts of the entries: a value per handle in each column, outside the V8 heap. */
export interface EntryColumns {
  length: number
  count: number
  isPresent: Uint8Array
  /** Ids in wire order, 32 bytes each. */
  txids: Uint8Array
  wtxids: Uint8Array
  chunk: Int32Array
  offset: Int32Array
  fee: BigInt64Array
  /** The fee with all fee deltas. */
  modifiedFee: BigInt64Array
  weight: Int32Array
  virtualSize: Int32Array
  sigOpCost: Int32Array
  inputs: Int32Array
  /** Memory that Bitcoin Core counts for the transaction alone. */
  usage: Float64Array
  time: Float64Array
  height: Int32Array
  sequence: Float64Array
  lockHeight: Int32Array
  lockTime: Float64Array
  lockBlocks: Uint8Array
  spendsCoinbase: Uint8Array
  readonly arena: ByteArena
}

const HASH_BYTES = 32
const SMALLEST = 64

export const entryColumns = (): EntryColumns => ({
  length: 0,
  count: 0,
  isPresent: new Uint8Array(0),
  txids: new Uint8Array(0),
  wtxids: new Uint8Array(0),
  chunk: new Int32Array(0),
  offset: new Int32Array(0),
  fee: new BigInt64Array(0),
  modifiedFee: new BigInt64Array(0),
  weight: new Int32Array(0),
  virtualSize: new Int32Array(0),
  sigOpCost: new Int32Array(0),
  inputs: new Int32Array(0),
  usage: new Float64Array(0),
  time: new Float64Array(0),
  height: new Int32Array(0),
  sequence: new Float64Array(0),
  lockHeight: new Int32Array(0),
  lockTime: new Float64Array(0),
  lockBlocks: new Uint8Array(0),
  spendsCoinbase: new Uint8Array(0),
  arena: byteArena()
})

const longer = <C extends Uint8Array | Int32Array | Float64Array | BigInt64Array>(column: C, length: number): C => {
  const copy = new (column.constructor as new(length: number) => C)(length)
  copy.set(column as never)
  return copy
}

/** Extends the columns for a handle. */
export const reachHandle = (columns: EntryColumns, handle: TxHandle): void => {
  if (handle < columns.length) return
  const length = Math.max(SMALLEST, handle + 1, Math.ceil(columns.length * 1.5))
  columns.length = length
  columns.isPresent = longer(columns.isPresent, length)
  columns.txids = longer(columns.txids, length * HASH_BYTES)
  columns.wtxids = longer(columns.wtxids, length * HASH_BYTES)
  columns.chunk = longer(columns.chunk, length)
  columns.offset = longer(columns.offset, length)
  columns.fee = longer(columns.fee, length)
  columns.modifiedFee = longer(columns.modifiedFee, length)
  columns.weight = longer(columns.weight, length)
  columns.virtualSize = longer(columns.virtualSize, length)
  columns.sigOpCost = longer(columns.sigOpCost, length)
  columns.inputs = longer(columns.inputs, length)
  columns.usage = longer(columns.usage, length)
  columns.time = longer(columns.time, length)
  columns.height = longer(columns.height, length)
  columns.sequence = longer(columns.sequence, length)
  columns.lockHeight = longer(columns.lockHeight, length)
  columns.lockTime = longer(columns.lockTime, length)
  columns.lockBlocks = longer(columns.lockBlocks, length * HASH_BYTES)
  columns.spendsCoinbase = longer(columns.spendsCoinbase, length)
}

/** Returns a view of one hash of a column. */
export const hashAt = (hashes: Uint8Array, handle: TxHandle): Uint8Array =>
  hashes.subarray(handle * HASH_BYTES, (handle + 1) * HASH_BYTES)

/** The fee that the graph orders by. The graph clamps far below the range in which a number is inexact. */
export const graphFee = (fee: Sats): number => Number(fee)

/** Compares two entries by the wire order of their txids. */
export const compareTxids = ({ txids }: EntryColumns, a: TxHandle, b: TxHandle): number => {
  for (let i = 0; i < HASH_BYTES; i++) {
    const difference = txids[a * HASH_BYTES + i]! - txids[b * HASH_BYTES + i]!
    if (difference !== 0) return difference
  }
  return 0
}
