import {
  readBytes,
  readCompactSize,
  readUint32,
  readUint8,
  sizedLength,
  writeSized,
  writeUint32,
  writeUint8,
  writerOf
} from "@lockstep/kernel/bytes"
import { encodeMerkleBlock, type MerkleBlock } from "../../merkle-block/partial-merkle-tree.ts"
import type { Codec } from "../codec.ts"
import { LIMITS } from "../limits.ts"
import { readHash, readList } from "../payload-cursor.ts"

/** Sets a bloom filter (BIP37): from then on the sender wants only matching transactions. */
export interface FilterLoadMessage {
  readonly command: "filterload"
  readonly filter: Uint8Array
  /** uint32 */
  readonly hashFunctions: number
  /** uint32 */
  readonly tweak: number
  readonly flags: number
}

/** Adds an element to the filter of the sender. */
export interface FilterAddMessage {
  readonly command: "filteradd"
  readonly data: Uint8Array
}

/** A filtered block: its header, and a proof that the matching transactions are in it. */
export interface MerkleBlockMessage extends MerkleBlock {
  readonly command: "merkleblock"
}

export const filterload: Codec<FilterLoadMessage> = {
  read: (cursor) => ({
    command: "filterload",
    filter: readBytes(cursor, readCompactSize(cursor)),
    hashFunctions: readUint32(cursor),
    tweak: readUint32(cursor),
    flags: readUint8(cursor)
  }),
  write: ({ filter, flags, hashFunctions, tweak }) => {
    const writer = writerOf(sizedLength(filter) + 9)
    writeSized(writer, filter)
    writeUint32(writer, hashFunctions)
    writeUint32(writer, tweak)
    writeUint8(writer, flags)
    return writer.bytes
  }
}

export const filteradd: Codec<FilterAddMessage> = {
  read: (cursor) => ({ command: "filteradd", data: readBytes(cursor, readCompactSize(cursor)) }),
  write: ({ data }) => {
    const writer = writerOf(sizedLength(data))
    writeSized(writer, data)
    return writer.bytes
  }
}

export const merkleblock: Codec<MerkleBlockMessage> = {
  read: (cursor) => ({
    command: "merkleblock",
    header: readBytes(cursor, 80),
    transactions: readUint32(cursor),
    hashes: readList(cursor, "hashes of a merkle tree", LIMITS.merkleHashes.most, readHash),
    bits: readBytes(cursor, readCompactSize(cursor))
  }),
  write: encodeMerkleBlock
}
