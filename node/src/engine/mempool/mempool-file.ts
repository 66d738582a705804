import type { Sats, UnixSeconds } from "@lockstep/kernel/quantities"
import {
  advance,
  compactSizeLength,
  compareBytes,
  type Cursor,
  cursorOn,
  readBytes,
  readCompactSize,
  readInt64,
  writeBytes,
  writeCompactSize,
  writeInt64,
  type Writer,
  writerOf
} from "@lockstep/kernel/bytes"
import { readTransaction, type Transaction } from "@lockstep/kernel/model"
import * as Result from "effect/Result"

/** A transaction as the mempool file has it. */
export interface SavedTransaction {
  readonly tx: Pick<Transaction, "bytes">
  /** Time of its entry in Unix seconds. */
  readonly time: UnixSeconds
  /** Fee delta of prioritisation in satoshis. */
  readonly feeDelta: Sats
}

/** The fee delta of a transaction that is not in the mempool. */
export interface SavedDelta {
  readonly txid: Uint8Array
  readonly feeDelta: Sats
}

/** The content of `mempool.dat`. */
export interface SavedMempool {
  /** Transactions in mining order: parents come before their children. */
  readonly transactions: ReadonlyArray<SavedTransaction>
  readonly deltas: ReadonlyArray<SavedDelta>
  /** Txids of transactions that no peer has requested yet. */
  readonly unbroadcast: ReadonlyArray<Uint8Array>
}

export interface ReadTransaction extends SavedTransaction {
  readonly tx: Transaction
}

/** The lists after the transactions. */
export interface ReadLists extends Pick<SavedMempool, "deltas" | "unbroadcast"> {
  /** The reason why reading stopped. Everything before it is valid. */
  readonly fault: string | undefined
}

export interface ReadMempool extends ReadLists {
  readonly transactions: ReadonlyArray<ReadTransaction>
}

/** Reads the file step by step, because a large one takes time. */
export interface MempoolFileReader {
  /** Number of transactions that the file declares. */
  readonly declared: number
  /** Returns the next transaction, or `undefined` at the end or if it is damaged. */
  readonly next: () => ReadTransaction | undefined
  /** Returns the lists after the last transaction. Precondition: `next` has returned `undefined`. */
  readonly lists: () => ReadLists
}

const PLAIN = 1n
const OBFUSCATED = 2n

const KEY_BYTES = 8
/** Offset of the obfuscated part: version, length of the key and key are in plain. */
const OBFUSCATED_FROM = 8 + 1 + KEY_BYTES
const ID_BYTES = 32

/** XORs the bytes after the key with the key. The offset in the file selects the byte of the key. */
const obfuscated = (bytes: Uint8Array, key: Uint8Array): Uint8Array => {
  const result = Uint8Array.from(bytes)
  for (let at = OBFUSCATED_FROM; at < result.length; at++) result[at]! ^= key[at % KEY_BYTES]!
  return result
}

const readId = (cursor: Cursor): Uint8Array => readBytes(cursor, ID_BYTES)

/** Reads as many items as the file declares, up to the first invalid one. */
const readAll = <A>(cursor: Cursor, count: number, read: () => A): ReadonlyArray<A> => {
  const all: Array<A> = []
  while (all.length < count) {
    const next = read()
    if (cursor.broken !== undefined) break
    all.push(next)
  }
  return all
}

const readerAt = (cursor: Cursor): MempoolFileReader => {
  const declared = Number(BigInt.asUintN(64, readInt64(cursor)))
  let left = declared
  return {
    declared,
    next: () => {
      if (left === 0 || cursor.broken !== undefined) return undefined
      left--
      const transaction = { tx: readTransaction(cursor), time: Number(readInt64(cursor)), feeDelta: readInt64(cursor) }
      return cursor.broken === undefined ? transaction : undefined
    },
    lists: () => {
      const readDelta = () => ({ txid: readId(cursor), feeDelta: readInt64(cursor) })
      const deltas = readAll(cursor, readCompactSize(cursor), readDelta)
      const areDeltasWhole = cursor.broken === undefined
      const unbroadcast = readAll(cursor, readCompactSize(cursor), () => readId(cursor))
      const isWhole = cursor.broken === undefined
      return {
        deltas: areDeltasWhole ? deltas : [],
        unbroadcast: isWhole ? unbroadcast : [],
        fault: isWhole ? undefined : `it ends early or is damaged at byte ${cursor.offset}`
      }
    }
  }
}

/**
 * Makes a reader of `mempool.dat` of either version, or fails with the reason. The list of deltas and that of
 * unbroadcast transactions are valid only as a whole. The transactions are views of one buffer.
 */
export const mempoolFileReader = (bytes: Uint8Array): Result.Result<MempoolFileReader, string> => {
  const head = cursorOn(bytes)
  const version = readInt64(head)
  if (head.broken !== undefined) return Result.fail("it ends before its version")
  if (version === PLAIN) return Result.succeed(readerAt(head))
  if (version !== OBFUSCATED) return Result.fail(`its version is ${BigInt.asUintN(64, version)}`)
  const keyLength = readCompactSize(head)
  const key = readBytes(head, KEY_BYTES)
  if (head.broken !== undefined || keyLength !== KEY_BYTES) return Result.fail(`its key is not of ${KEY_BYTES} bytes`)
  const cursor = cursorOn(obfuscated(bytes, key))
  advance(cursor, OBFUSCATED_FROM)
  return Result.succeed(readerAt(cursor))
}

/** Decodes the whole `mempool.dat`. */
export const decodeMempoolFile = (bytes: Uint8Array): ReadMempool => {
  const reader = mempoolFileReader(bytes)
  if (Result.isFailure(reader)) return { transactions: [], deltas: [], unbroadcast: [], fault: reader.failure }
  const { lists, next } = reader.success
  const transactions: Array<ReadTransaction> = []
  for (let found = next(); found !== undefined; found = next()) transactions.push(found)
  return { transactions, ...lists() }
}

const byId = (a: Uint8Array, b: Uint8Array): number => compareBytes(a, b)

const contentLength = ({ deltas, transactions, unbroadcast }: SavedMempool): number =>
  transactions.reduce((size, { tx }) => size + tx.bytes.length + 16, 8) +
  compactSizeLength(deltas.length) + deltas.length * (ID_BYTES + 8) +
  compactSizeLength(unbroadcast.length) + unbroadcast.length * ID_BYTES

const writeContent = (writer: Writer, { deltas, transactions, unbroadcast }: SavedMempool): void => {
  writeInt64(writer, BigInt(transactions.length))
  for (const { feeDelta, time, tx } of transactions) {
    writeBytes(writer, tx.bytes)
    writeInt64(writer, BigInt(time))
    writeInt64(writer, feeDelta)
  }
  writeCompactSize(writer, deltas.length)
  for (const { feeDelta, txid } of deltas.toSorted((a, b) => byId(a.txid, b.txid))) {
    writeBytes(writer, txid)
    writeInt64(writer, feeDelta)
  }
  writeCompactSize(writer, unbroadcast.length)
  for (const txid of unbroadcast.toSorted(byId)) writeBytes(writer, txid)
}

/** Encodes `mempool.dat` with an obfuscation key of 8 random bytes; without a key, in version 1. */
export const encodeMempoolFile = (mempool: SavedMempool, key: Uint8Array | undefined): Uint8Array => {
  const head = key === undefined ? 8 : OBFUSCATED_FROM
  const writer = writerOf(head + contentLength(mempool))
  writeInt64(writer, key === undefined ? PLAIN : OBFUSCATED)
  if (key !== undefined) {
    writeCompactSize(writer, KEY_BYTES)
    writeBytes(writer, key)
  }
  writeContent(writer, mempool)
  return key === undefined ? writer.bytes : obfuscated(writer.bytes, key)
}
