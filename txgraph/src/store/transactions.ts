import { growColumns, nextLength, NONE } from "./columns.ts"

/** The transactions of a graph, one column per field. */
export interface Transactions {
  count: number
  /** First free number; `next` links the others. */
  free: number
  /** End of the numbers allocated so far. */
  end: number
  readonly columns: {
    fee: Float64Array
    size: Int32Array
    cluster: Int32Array
    /** The next transaction in the order of the cluster. */
    next: Int32Array
    /** Its chunk, while its cluster is ordered. */
    chunk: Int32Array
    /** Position in the order of the cluster. */
    place: Uint8Array
    /** Positions of the transaction and its ancestors. */
    ancestorsLow: Int32Array
    ancestorsHigh: Int32Array
    /** Nonzero while it is being removed. */
    leaving: Uint8Array
  }
}

export const noTransactions = (): Transactions => ({
  count: 0,
  free: NONE,
  end: 0,
  columns: {
    fee: new Float64Array(0),
    size: new Int32Array(0),
    cluster: new Int32Array(0),
    next: new Int32Array(0),
    chunk: new Int32Array(0),
    place: new Uint8Array(0),
    ancestorsLow: new Int32Array(0),
    ancestorsHigh: new Int32Array(0),
    leaving: new Uint8Array(0)
  }
})

/** Allocates a number for a transaction. */
export const allotTransaction = (transactions: Transactions): number => {
  transactions.count++
  const { columns, free } = transactions
  if (free !== NONE) {
    transactions.free = columns.next[free]!
    return free
  }
  if (transactions.end === columns.fee.length) growColumns(columns, nextLength(transactions.end))
  return transactions.end++
}

export const freeTransaction = (transactions: Transactions, tx: number): void => {
  transactions.count--
  transactions.columns.cluster[tx] = NONE
  transactions.columns.next[tx] = transactions.free
  transactions.free = tx
}
