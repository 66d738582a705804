import * as Result from "effect/Result"
import { type MalformedBytes } from "../bytes/cursor.ts"
import { type Verdict, violation } from "../verdict.ts"
import type { Bits, Bytes, Hash, UnixSeconds } from "../quantities.ts"

/** Bytes of a block header. */
const HEADER_SIZE = 80

/**
 * A block header. `bytes` is its 80-byte serialization, `version` int32, the other numbers uint32, hashes in wire
 * order.
 */
export interface Header {
  readonly bytes: Bytes
  readonly version: number
  readonly previous: Hash
  readonly merkleRoot: Hash
  readonly time: UnixSeconds
  readonly bits: Bits
  readonly nonce: number
}

/** The header whose serialization is `bytes`. Precondition: 80 bytes. */
export const headerOf = (bytes: Uint8Array): Header => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_SIZE)
  return {
    bytes,
    version: view.getInt32(0, true),
    previous: bytes.subarray(4, 36),
    merkleRoot: bytes.subarray(36, 68),
    time: view.getUint32(68, true),
    bits: view.getUint32(72, true),
    nonce: view.getUint32(76, true)
  }
}

/**
 * A header is exactly 80 bytes; every such string is one.
 *
 * @spec SER-020 #80de8e14
 */
export const decodeHeader = (bytes: Bytes): Verdict<Header, MalformedBytes> =>
  bytes.length === HEADER_SIZE
    ? Result.succeed(headerOf(bytes))
    : Result.fail(violation("SER-020", { offset: Math.min(bytes.length, HEADER_SIZE) }))
