import { bytesEqual } from "@lockstep/kernel/bytes"
import { hashTransaction } from "../../coins/outpoint-words.ts"
import type { MempoolTransaction } from "../../engine/api/mempool-calls.ts"
import { findSlot, type HashSlots, hashSlots, putSlot, takeSlot } from "../../engine/txmempool/hash-slots.ts"

/** Which id names a transaction. */
export type IdKind = "txid" | "wtxid"

/** What the network layer remembers of a transaction of the mempool: all but its bytes. */
export type PooledTransaction = Omit<MempoolTransaction, "bytes">

/** The mempool as the network layer sees it. Ids in wire order. */
export interface MempoolView {
  readonly size: () => number
  readonly has: (kind: IdKind, id: Uint8Array) => boolean
  readonly find: (kind: IdKind, id: Uint8Array) => PooledTransaction | undefined
  /** More than the sequence number of each transaction that ever was here, and no more than that of any to come. */
  readonly sequence: () => number
}

/** A copy of what the engine's mempool holds, outside the V8 heap. */
export interface MempoolReplica extends MempoolView {
  readonly add: (transaction: PooledTransaction) => void
  /** Answers what was removed. */
  readonly remove: (txid: Uint8Array) => PooledTransaction | undefined
  /** A peer fetches it. Answers whether it is here, and none had fetched it before. */
  readonly fetch: (txid: Uint8Array) => boolean
}

const HASH_BYTES = 32
/** Where each field is in a record. */
const AT = {
  txid: 0,
  wtxid: HASH_BYTES,
  fee: 2 * HASH_BYTES,
  sequence: 2 * HASH_BYTES + 8,
  size: 2 * HASH_BYTES + 16,
  fetched: 2 * HASH_BYTES + 20
}
const RECORD_BYTES = AT.fetched + 1
const FEWEST = 64

/** Records by number, and the numbers that are free. */
interface Records {
  bytes: Uint8Array
  view: DataView
  length: number
  readonly free: Array<number>
}

const reserve = (records: Records, count: number): void => {
  const bytes = new Uint8Array(count * RECORD_BYTES)
  bytes.set(records.bytes)
  records.bytes = bytes
  records.view = new DataView(bytes.buffer)
}

const idAt = ({ bytes }: Records, number: number, kind: IdKind): Uint8Array => {
  const start = number * RECORD_BYTES + AT[kind]
  return bytes.subarray(start, start + HASH_BYTES)
}

const read = (records: Records, number: number): PooledTransaction => {
  const start = number * RECORD_BYTES
  return {
    txid: idAt(records, number, "txid").slice(),
    wtxid: idAt(records, number, "wtxid").slice(),
    fee: records.view.getBigInt64(start + AT.fee),
    sequence: records.view.getFloat64(start + AT.sequence),
    virtualSize: records.view.getUint32(start + AT.size)
  }
}

const write = (records: Records, { fee, sequence, txid, virtualSize, wtxid }: PooledTransaction): number => {
  const number = records.free.pop() ?? records.length++
  if (number * RECORD_BYTES >= records.bytes.length) reserve(records, Math.max(FEWEST, 2 * number))
  const start = number * RECORD_BYTES
  records.bytes.set(txid, start + AT.txid)
  records.bytes.set(wtxid, start + AT.wtxid)
  records.view.setBigInt64(start + AT.fee, fee)
  records.view.setFloat64(start + AT.sequence, sequence)
  records.view.setUint32(start + AT.size, virtualSize)
  records.view.setUint8(start + AT.fetched, 0)
  return number
}

/** `seed`: unpredictable, so that nobody can choose ids that make look-ups slow. */
export const mempoolReplica = (seed: number): MempoolReplica => {
  const records: Records = { bytes: new Uint8Array(0), view: new DataView(new ArrayBuffer(0)), length: 0, free: [] }
  const indexes: Readonly<Record<IdKind, HashSlots>> = { txid: hashSlots(), wtxid: hashSlots() }
  /** Core's mempool counts from 1. */
  let next = 1

  const numberOf = (kind: IdKind, id: Uint8Array): number | undefined =>
    findSlot(indexes[kind], hashTransaction(seed, id), (number) => bytesEqual(idAt(records, number, kind), id))

  const find = (kind: IdKind, id: Uint8Array): PooledTransaction | undefined => {
    const number = numberOf(kind, id)
    return number === undefined ? undefined : read(records, number)
  }

  return {
    size: () => indexes.txid.count,
    has: (kind, id) => numberOf(kind, id) !== undefined,
    find,
    sequence: () => next,
    add: (transaction) => {
      if (numberOf("txid", transaction.txid) !== undefined) return
      const number = write(records, transaction)
      putSlot(indexes.txid, hashTransaction(seed, transaction.txid), number)
      putSlot(indexes.wtxid, hashTransaction(seed, transaction.wtxid), number)
      next = Math.max(next, transaction.sequence + 1)
    },
    remove: (txid) => {
      const number = numberOf("txid", txid)
      if (number === undefined) return undefined
      const removed = read(records, number)
      const isIt = (each: number): boolean => each === number
      takeSlot(indexes.txid, hashTransaction(seed, removed.txid), isIt)
      takeSlot(indexes.wtxid, hashTransaction(seed, removed.wtxid), isIt)
      records.free.push(number)
      return removed
    },
    fetch: (txid) => {
      const number = numberOf("txid", txid)
      if (number === undefined) return false
      const at = number * RECORD_BYTES + AT.fetched
      const isFirst = records.view.getUint8(at) === 0
      records.view.setUint8(at, 1)
      return isFirst
    }
  }
}
