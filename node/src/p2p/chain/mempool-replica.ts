import type { MempoolTransaction } from "../../engine/api/mempool-calls.ts"
import { hashAt } from "../../engine/txmempool/entry-columns.ts"
import { findId, type IdIndex, idIndex, indexId, unindexId } from "../../engine/txmempool/id-index.ts"

/** The kind of id that names a transaction. */
export type IdKind = "txid" | "wtxid"

/** The replicated part of a mempool transaction: everything but its bytes. */
export type ReplicatedTransaction = Omit<MempoolTransaction, "bytes">

/** The mempool as the network layer sees it. Ids in wire order. */
export interface MempoolView {
  readonly size: () => number
  readonly has: (kind: IdKind, id: Uint8Array) => boolean
  readonly find: (kind: IdKind, id: Uint8Array) => ReplicatedTransaction | undefined
  /** Greater than the sequence number of every transaction so far, and at most that of the next. */
  readonly sequence: () => number
}

/** A copy of the engine's mempool, outside the V8 heap. */
export interface MempoolReplica extends MempoolView {
  readonly add: (transaction: ReplicatedTransaction) => void
  /** Removes a transaction and returns it, or `undefined` if it was not in the mempool. */
  readonly remove: (txid: Uint8Array) => ReplicatedTransaction | undefined
  /** Records that a peer fetches a transaction. Returns true if it is in the mempool and was never fetched before. */
  readonly fetch: (txid: Uint8Array) => boolean
}

/** Columns with one value for each slot number. */
interface Columns {
  readonly capacity: number
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
  readonly fee: BigInt64Array
  readonly sequence: Float64Array
  readonly virtualSize: Uint32Array
  readonly fetched: Uint8Array
}

const HASH_BYTES = 32

const emptyColumns = (capacity: number): Columns => ({
  capacity,
  txid: new Uint8Array(capacity * HASH_BYTES),
  wtxid: new Uint8Array(capacity * HASH_BYTES),
  fee: new BigInt64Array(capacity),
  sequence: new Float64Array(capacity),
  virtualSize: new Uint32Array(capacity),
  fetched: new Uint8Array(capacity)
})

const doubled = (from: Columns): Columns => {
  const to = emptyColumns(2 * from.capacity)
  to.txid.set(from.txid)
  to.wtxid.set(from.wtxid)
  to.fee.set(from.fee)
  to.sequence.set(from.sequence)
  to.virtualSize.set(from.virtualSize)
  to.fetched.set(from.fetched)
  return to
}

const read = (columns: Columns, number: number): ReplicatedTransaction => ({
  txid: hashAt(columns.txid, number).slice(),
  wtxid: hashAt(columns.wtxid, number).slice(),
  fee: columns.fee[number]!,
  sequence: columns.sequence[number]!,
  virtualSize: columns.virtualSize[number]!
})

const write = (columns: Columns, number: number, transaction: ReplicatedTransaction): void => {
  columns.txid.set(transaction.txid, number * HASH_BYTES)
  columns.wtxid.set(transaction.wtxid, number * HASH_BYTES)
  columns.fee[number] = transaction.fee
  columns.sequence[number] = transaction.sequence
  columns.virtualSize[number] = transaction.virtualSize
  columns.fetched[number] = 0
}

/** Makes an empty replica. `seed` is unpredictable, so that no peer can choose ids that make lookups slow. */
export const mempoolReplica = (seed: number): MempoolReplica => {
  let columns = emptyColumns(64)
  let used = 0
  const free: Array<number> = []
  const indexes: Readonly<Record<IdKind, IdIndex>> = {
    txid: idIndex(seed, () => columns.txid),
    wtxid: idIndex(seed, () => columns.wtxid)
  }
  /** Core's mempool sequence starts at 1. */
  let next = 1

  const numberOf = (kind: IdKind, id: Uint8Array): number | undefined => findId(indexes[kind], id)

  const find = (kind: IdKind, id: Uint8Array): ReplicatedTransaction | undefined => {
    const number = numberOf(kind, id)
    return number === undefined ? undefined : read(columns, number)
  }

  return {
    size: () => indexes.txid.slots.count,
    has: (kind, id) => numberOf(kind, id) !== undefined,
    find,
    sequence: () => next,
    add: (transaction) => {
      if (numberOf("txid", transaction.txid) !== undefined) return
      const number = free.pop() ?? used++
      if (number === columns.capacity) columns = doubled(columns)
      write(columns, number, transaction)
      indexId(indexes.txid, number)
      indexId(indexes.wtxid, number)
      next = Math.max(next, transaction.sequence + 1)
    },
    remove: (txid) => {
      const number = numberOf("txid", txid)
      if (number === undefined) return undefined
      const removed = read(columns, number)
      unindexId(indexes.txid, number)
      unindexId(indexes.wtxid, number)
      free.push(number)
      return removed
    },
    fetch: (txid) => {
      const number = numberOf("txid", txid)
      if (number === undefined || columns.fetched[number] === 1) return false
      columns.fetched[number] = 1
      return true
    }
  }
}
