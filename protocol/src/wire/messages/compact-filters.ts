import type { Height } from "@lockstep/kernel/quantities"
import {
  compactSizeLength,
  readBytes,
  readCompactSize,
  readUint32,
  readUint8,
  sizedLength,
  writeBytes,
  writeCompactSize,
  type Writer,
  writerOf,
  writeSized,
  writeUint32,
  writeUint8
} from "@lockstep/kernel/bytes"
import type { Codec } from "../codec.ts"
import type { Counted } from "../fault.ts"
import { LIMITS } from "../limits.ts"
import { type PayloadCursor, readHash, readList } from "../payload-cursor.ts"
import { writeHashes } from "../payload-writer.ts"

/** Requests the filters, or their headers, of the blocks from a height up to one block (BIP157). */
export interface FilterRangeMessage<C extends "getcfilters" | "getcfheaders"> {
  readonly command: C
  readonly filterType: number
  /** uint32 */
  readonly startHeight: Height
  readonly stop: Uint8Array
}

/** The filter of one block. */
export interface CFilterMessage {
  readonly command: "cfilter"
  readonly filterType: number
  readonly block: Uint8Array
  readonly filter: Uint8Array
}

/** The hashes of a range of filters, and the filter header before it, from which the headers of the range follow. */
export interface CFHeadersMessage {
  readonly command: "cfheaders"
  readonly filterType: number
  readonly stop: Uint8Array
  readonly previous: Uint8Array
  readonly filterHashes: ReadonlyArray<Uint8Array>
}

/** Requests every thousandth filter header up to one block. */
export interface GetCFCheckptMessage {
  readonly command: "getcfcheckpt"
  readonly filterType: number
  readonly stop: Uint8Array
}

/** The filter headers of every thousandth block up to one. */
export interface CFCheckptMessage {
  readonly command: "cfcheckpt"
  readonly filterType: number
  readonly stop: Uint8Array
  readonly filterHeaders: ReadonlyArray<Uint8Array>
}

const range = <C extends "getcfilters" | "getcfheaders">(command: C): Codec<FilterRangeMessage<C>> => ({
  read: (cursor) => ({
    command,
    filterType: readUint8(cursor),
    startHeight: readUint32(cursor),
    stop: readHash(cursor)
  }),
  write: ({ filterType, startHeight, stop }) => {
    const writer = writerOf(37)
    writeUint8(writer, filterType)
    writeUint32(writer, startHeight)
    writeBytes(writer, stop)
    return writer.bytes
  }
})

export const getcfilters = range("getcfilters")
export const getcfheaders = range("getcfheaders")

export const cfilter: Codec<CFilterMessage> = {
  read: (cursor) => {
    const filterType = readUint8(cursor)
    const block = readHash(cursor)
    return { command: "cfilter", filterType, block, filter: readBytes(cursor, readCompactSize(cursor)) }
  },
  write: ({ block, filter, filterType }) => {
    const writer = writerOf(33 + sizedLength(filter))
    writeUint8(writer, filterType)
    writeBytes(writer, block)
    writeSized(writer, filter)
    return writer.bytes
  }
}

const readHashes = (cursor: PayloadCursor, what: Counted, most: number): ReadonlyArray<Uint8Array> =>
  readList(cursor, what, most, readHash)

const writeCountedHashes = (writer: Writer, hashes: ReadonlyArray<Uint8Array>): void => {
  writeCompactSize(writer, hashes.length)
  writeHashes(writer, hashes)
}

export const cfheaders: Codec<CFHeadersMessage> = {
  read: (cursor) => {
    const filterType = readUint8(cursor)
    const stop = readHash(cursor)
    const previous = readHash(cursor)
    const filterHashes = readHashes(cursor, "filter hashes", LIMITS.filterHeaderRange.most)
    return { command: "cfheaders", filterType, stop, previous, filterHashes }
  },
  write: ({ filterHashes, filterType, previous, stop }) => {
    const writer = writerOf(65 + compactSizeLength(filterHashes.length) + filterHashes.length * 32)
    writeUint8(writer, filterType)
    writeBytes(writer, stop)
    writeBytes(writer, previous)
    writeCountedHashes(writer, filterHashes)
    return writer.bytes
  }
}

export const getcfcheckpt: Codec<GetCFCheckptMessage> = {
  read: (cursor) => ({ command: "getcfcheckpt", filterType: readUint8(cursor), stop: readHash(cursor) }),
  write: ({ filterType, stop }) => {
    const writer = writerOf(33)
    writeUint8(writer, filterType)
    writeBytes(writer, stop)
    return writer.bytes
  }
}

export const cfcheckpt: Codec<CFCheckptMessage> = {
  read: (cursor) => {
    const filterType = readUint8(cursor)
    const stop = readHash(cursor)
    return {
      command: "cfcheckpt",
      filterType,
      stop,
      filterHeaders: readHashes(cursor, "filter headers", LIMITS.filterCheckpoints.most)
    }
  },
  write: ({ filterHeaders, filterType, stop }) => {
    const writer = writerOf(33 + compactSizeLength(filterHeaders.length) + filterHeaders.length * 32)
    writeUint8(writer, filterType)
    writeBytes(writer, stop)
    writeCountedHashes(writer, filterHeaders)
    return writer.bytes
  }
}
