/** Facts of each header besides its bytes, by index, in arrays that grow together. */
export interface HeaderColumns {
  /** Bits of {@link HeaderStatus}. */
  status: Uint8Array
  /** Numbers of the files that hold the block and its undo data. */
  blockFile: Uint32Array
  blockOffset: Uint32Array
  blockSize: Uint32Array
  undoFile: Uint32Array
  undoOffset: Uint32Array
  undoSize: Uint32Array
  /** Transactions of the block; 0 if it was never stored. */
  transactions: Uint32Array
  /** Transactions of the chain up to and including the block; 0 while it is not linked. */
  chainTransactions: Float64Array
  /** Order of arrival: of two chains with equal work, the one with the smaller number was seen first. */
  sequence: Int32Array
  /** Indices + 1 of the edges of the tree; 0 for none. */
  firstChild: Int32Array
  lastChild: Int32Array
  nextSibling: Int32Array
}

const columnsOf = (size: number): HeaderColumns => ({
  status: new Uint8Array(size),
  blockFile: new Uint32Array(size),
  blockOffset: new Uint32Array(size),
  blockSize: new Uint32Array(size),
  undoFile: new Uint32Array(size),
  undoOffset: new Uint32Array(size),
  undoSize: new Uint32Array(size),
  transactions: new Uint32Array(size),
  chainTransactions: new Float64Array(size),
  sequence: new Int32Array(size),
  firstChild: new Int32Array(size),
  lastChild: new Int32Array(size),
  nextSibling: new Int32Array(size)
})

export const headerColumns = (): HeaderColumns => columnsOf(1024)

/** Grows the arrays for an entry with this index. */
export const growColumns = (columns: HeaderColumns, index: number): void => {
  const { length } = columns.status
  if (index < length) return
  const larger = columnsOf(Math.max(length * 2, index + 1))
  for (const name of Object.keys(larger) as Array<keyof HeaderColumns>) larger[name].set(columns[name])
  Object.assign(columns, larger)
}
