import {
  compactSizeLength,
  readUint32,
  writeBytes,
  writeCompactSize,
  writerOf,
  writeUint32
} from "@lockstep/kernel/bytes"
import type { Codec } from "../codec.ts"
import { LIMITS } from "../limits.ts"
import { readHash, readList } from "../payload-cursor.ts"
import { writeHashes } from "../payload-writer.ts"

/**
 * Requests what follows the first block of `locator` in the receiver's best chain, up to `stop` or the limit of one
 * message. `version` is the sender's protocol version, uint32; no node reads it.
 */
export interface LocatorMessage<C extends "getheaders" | "getblocks"> {
  readonly command: C
  readonly version: number
  readonly locator: ReadonlyArray<Uint8Array>
  /** Zero for no limit. */
  readonly stop: Uint8Array
}

const locating = <C extends "getheaders" | "getblocks">(command: C): Codec<LocatorMessage<C>> => ({
  read: (cursor) => {
    const version = readUint32(cursor)
    const locator = readList(cursor, "locator hashes", LIMITS.locatorHashes.most, readHash)
    return { command, version, locator, stop: readHash(cursor) }
  },
  write: ({ locator, stop, version }) => {
    const writer = writerOf(36 + compactSizeLength(locator.length) + locator.length * 32)
    writeUint32(writer, version)
    writeCompactSize(writer, locator.length)
    writeHashes(writer, locator)
    writeBytes(writer, stop)
    return writer.bytes
  }
})

export const getheaders = locating("getheaders")
export const getblocks = locating("getblocks")
