import {
  advance,
  compactSizeLength,
  readCompactSize,
  writeBytes,
  writeCompactSize,
  writeInt64,
  type Writer,
  writerOf,
  writeUint32
} from "@lockstep/kernel/bytes"
import { type Header, readTransaction, type Transaction } from "@lockstep/kernel/model"
import type { Codec } from "../codec.ts"
import { LIMITS } from "../limits.ts"
import { passTransaction } from "../pass-transaction.ts"
import {
  isIntact,
  type PayloadCursor,
  readCount,
  readHash,
  readList,
  readMany,
  readUint64,
  refuse
} from "../payload-cursor.ts"
import { readHeader } from "./block.ts"

/** A transaction sent with a compact block, and its position in the block. */
export interface PrefilledTransaction {
  /** Index as sent, which may be beyond any block; the reconstruction checks it. */
  readonly index: number
  readonly transaction: Transaction
}

/**
 * A block as a header and short ids, which a node that has the transactions can reconstruct (BIP152 reconstruction).
 */
export interface CmpctBlockMessage {
  readonly command: "cmpctblock"
  readonly header: Header
  /** uint64, part of the key of the short ids. */
  readonly nonce: bigint
  /** 48 bits each. */
  readonly shortIds: ReadonlyArray<number>
  readonly prefilled: ReadonlyArray<PrefilledTransaction>
}

/** Requests transactions of a block by their positions, in ascending order. */
export interface GetBlockTxnMessage {
  readonly command: "getblocktxn"
  readonly block: Uint8Array
  readonly indexes: ReadonlyArray<number>
}

/** The requested transactions. */
export interface BlockTxnMessage {
  readonly command: "blocktxn"
  readonly block: Uint8Array
  readonly transactions: ReadonlyArray<Transaction>
}

const MOST = LIMITS.blockTransactions.most
const TWO_TO_32 = 0x1_0000_0000

const readShortId = (cursor: PayloadCursor): number => {
  const at = advance(cursor, 6)
  return at < 0 ? 0 : cursor.view.getUint32(at, true) + cursor.view.getUint16(at + 4, true) * TWO_TO_32
}

const writeShortId = (writer: Writer, id: number): void => {
  writeUint32(writer, id % TWO_TO_32)
  const high = Math.floor(id / TWO_TO_32)
  writeBytes(writer, Uint8Array.of(high & 0xff, high >>> 8))
}

/** Reads the difference of an index to the one after `previous`: 16 bits, or a fault. */
const readDifference = (cursor: PayloadCursor): number => {
  const offset = cursor.offset
  const difference = readCompactSize(cursor)
  if (difference > MOST) refuse(cursor, { _tag: "IndexOverflow", offset })
  return difference
}

const passPrefilled = (cursor: PayloadCursor): void => {
  readDifference(cursor)
  passTransaction(cursor)
}

const readPrefilled = (cursor: PayloadCursor, count: number): ReadonlyArray<PrefilledTransaction> => {
  const prefilled: Array<PrefilledTransaction> = []
  // At most 65,535 additions of numbers below 65,536, which doubles represent exactly.
  let next = 0
  for (let i = 0; i < count && isIntact(cursor); i++) {
    const index = next + readDifference(cursor)
    prefilled.push({ index, transaction: readTransaction(cursor) })
    next = index + 1
  }
  return prefilled
}

const differencesOf = (indexes: ReadonlyArray<number>): ReadonlyArray<number> =>
  indexes.map((index, i) => (i === 0 ? index : index - indexes[i - 1]! - 1))

export const cmpctblock: Codec<CmpctBlockMessage> = {
  read: (cursor) => {
    const header = readHeader(cursor)
    const nonce = readUint64(cursor)
    const shortIds = readMany(cursor, readCount(cursor, "transactions", MOST), readShortId)
    const prefilled = readPrefilled(cursor, readCount(cursor, "transactions", MOST - shortIds.length))
    return { command: "cmpctblock", header, nonce, shortIds, prefilled }
  },
  pass: (cursor) => {
    advance(cursor, 80 + 8)
    const ids = readCount(cursor, "transactions", MOST)
    advance(cursor, 6 * ids)
    readMany(cursor, readCount(cursor, "transactions", MOST - ids), passPrefilled)
  },
  write: ({ header, nonce, prefilled, shortIds }) => {
    const differences = differencesOf(prefilled.map(({ index }) => index))
    let size = 88 + compactSizeLength(shortIds.length) + shortIds.length * 6 + compactSizeLength(prefilled.length)
    for (let i = 0; i < prefilled.length; i++) {
      size += compactSizeLength(differences[i]!) + prefilled[i]!.transaction.bytes.length
    }
    const writer = writerOf(size)
    writeBytes(writer, header.bytes)
    writeInt64(writer, nonce)
    writeCompactSize(writer, shortIds.length)
    for (const id of shortIds) writeShortId(writer, id)
    writeCompactSize(writer, prefilled.length)
    for (let i = 0; i < prefilled.length; i++) {
      writeCompactSize(writer, differences[i]!)
      writeBytes(writer, prefilled[i]!.transaction.bytes)
    }
    return writer.bytes
  }
}

const readIndexes = (cursor: PayloadCursor, count: number): ReadonlyArray<number> => {
  const indexes: Array<number> = []
  let next = 0
  for (let i = 0; i < count && isIntact(cursor); i++) {
    const offset = cursor.offset
    const index = next + readCompactSize(cursor)
    if (index > MOST) refuse(cursor, { _tag: "IndexOverflow", offset })
    indexes.push(index)
    next = index + 1
  }
  return indexes
}

export const getblocktxn: Codec<GetBlockTxnMessage> = {
  read: (cursor) => {
    const block = readHash(cursor)
    return { command: "getblocktxn", block, indexes: readIndexes(cursor, readCount(cursor, "indexes", MOST + 1)) }
  },
  write: ({ block, indexes }) => {
    const differences = differencesOf(indexes)
    const size = differences.reduce(
      (sum, difference) => sum + compactSizeLength(difference),
      32 + compactSizeLength(indexes.length)
    )
    const writer = writerOf(size)
    writeBytes(writer, block)
    writeCompactSize(writer, indexes.length)
    for (const difference of differences) writeCompactSize(writer, difference)
    return writer.bytes
  }
}

export const blocktxn: Codec<BlockTxnMessage> = {
  read: (cursor) => {
    const block = readHash(cursor)
    return { command: "blocktxn", block, transactions: readList(cursor, "transactions", MOST, readTransaction) }
  },
  pass: (cursor) => {
    advance(cursor, 32)
    readList(cursor, "transactions", MOST, passTransaction)
  },
  write: ({ block, transactions }) => {
    const size = transactions.reduce(
      (sum, { bytes }) => sum + bytes.length,
      32 + compactSizeLength(transactions.length)
    )
    const writer = writerOf(size)
    writeBytes(writer, block)
    writeCompactSize(writer, transactions.length)
    for (const { bytes } of transactions) writeBytes(writer, bytes)
    return writer.bytes
  }
}
