import { growColumns, nextLength, NONE } from "./columns.ts"

/**
 * The chunks of ordered clusters, one column per field. They are linked in a treap and in a list, both in mining order.
 */
export interface Chunks {
  count: number
  free: number
  end: number
  root: number
  first: number
  last: number
  readonly columns: {
    fee: Float64Array
    size: Int32Array
    /** Fee by size, rounded. Unequal values are in the order of the exact feerates. */
    rate: Float64Array
    cluster: Int32Array
    /** First transaction, and number of transactions. */
    start: Int32Array
    transactions: Uint8Array
    /** Total size of the cluster's chunks with this feerate, up to and including this one. */
    prefix: Int32Array
    /** The transaction with the greatest txid, after its first use. */
    greatest: Int32Array
    next: Int32Array
    previous: Int32Array
    left: Int32Array
    right: Int32Array
    above: Int32Array
  }
}

export const noChunks = (): Chunks => ({
  count: 0,
  free: NONE,
  end: 0,
  root: NONE,
  first: NONE,
  last: NONE,
  columns: {
    fee: new Float64Array(0),
    size: new Int32Array(0),
    rate: new Float64Array(0),
    cluster: new Int32Array(0),
    start: new Int32Array(0),
    transactions: new Uint8Array(0),
    prefix: new Int32Array(0),
    greatest: new Int32Array(0),
    next: new Int32Array(0),
    previous: new Int32Array(0),
    left: new Int32Array(0),
    right: new Int32Array(0),
    above: new Int32Array(0)
  }
})

/** Allocates a number for a chunk. */
export const allotChunk = (chunks: Chunks): number => {
  chunks.count++
  const { columns, free } = chunks
  if (free !== NONE) {
    chunks.free = columns.next[free]!
    return free
  }
  if (chunks.end === columns.fee.length) growColumns(columns, nextLength(chunks.end))
  return chunks.end++
}

export const freeChunk = (chunks: Chunks, chunk: number): void => {
  chunks.count--
  chunks.columns.next[chunk] = chunks.free
  chunks.free = chunk
}
