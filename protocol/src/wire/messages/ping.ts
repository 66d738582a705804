import { writeInt64, writerOf } from "@lockstep/kernel/bytes"
import type { Codec } from "../codec.ts"
import { readUint64 } from "../payload-cursor.ts"

/** Requests a `pong` with the same number, uint64. Peers that predate BIP31 send no number and do not answer. */
export interface PingMessage {
  readonly command: "ping"
  readonly nonce: bigint | undefined
}

export interface PongMessage {
  readonly command: "pong"
  readonly nonce: bigint
}

const eightBytes = (value: bigint): Uint8Array => {
  const writer = writerOf(8)
  writeInt64(writer, value)
  return writer.bytes
}

export const ping: Codec<PingMessage> = {
  read: (cursor) => ({ command: "ping", nonce: cursor.bytes.length === 0 ? undefined : readUint64(cursor) }),
  write: ({ nonce }) => (nonce === undefined ? new Uint8Array(0) : eightBytes(nonce))
}

export const pong: Codec<PongMessage> = {
  read: (cursor) => ({ command: "pong", nonce: readUint64(cursor) }),
  write: ({ nonce }) => eightBytes(nonce)
}
