import { readUint8, writeInt64, writerOf, writeUint8 } from "@lockstep/kernel/bytes"
import type { Codec } from "../codec.ts"
import { readUint64, refuse } from "../payload-cursor.ts"

/**
 * The version of compact blocks that the sender supports, and whether it wants new blocks announced by them (BIP152).
 */
export interface SendCmpctMessage {
  readonly command: "sendcmpct"
  readonly announce: boolean
  /** uint64; 2 means witness ids, and is the only version in use. */
  readonly version: bigint
}

export const sendcmpct: Codec<SendCmpctMessage> = {
  read: (cursor) => {
    const value = readUint8(cursor)
    const version = readUint64(cursor)
    if (value > 1) refuse(cursor, { _tag: "NotAFlag", value })
    return { command: "sendcmpct", announce: value === 1, version }
  },
  write: ({ announce, version }) => {
    const writer = writerOf(9)
    writeUint8(writer, announce ? 1 : 0)
    writeInt64(writer, version)
    return writer.bytes
  }
}
