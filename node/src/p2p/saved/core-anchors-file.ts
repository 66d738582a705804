import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import type { Endpoint } from "../../net/endpoint.ts"
import type { Anchor } from "../connections/connections.ts"
import { byteReader, writtenNumber } from "./byte-reader.ts"
import { peersChecksum } from "./core-peers-file.ts"
import { decodeCoreRecord, encodeCoreRecord } from "./core-record.ts"

const MAGIC_BYTES = 4
const HASH_BYTES = 32
/** Core's MAX_BLOCK_RELAY_ONLY_ANCHORS. */
const MOST = 2

/** Encodes anchors as Core's `anchors.dat`. */
export const encodeAnchorsFile = (anchors: ReadonlyArray<Anchor>, magic: Uint8Array): Uint8Array => {
  const records = anchors.map((endpoint) => encodeCoreRecord({ services: 0n, ...endpoint, time: 0 }))
  const body = concatBytes([magic, writtenNumber.compact(BigInt(records.length)), ...records])
  return concatBytes([body, peersChecksum(body)])
}

/** Decodes the anchors of such a file, or returns `undefined` if it is damaged or of another network. */
export const decodeAnchorsFile = (bytes: Uint8Array, magic: Uint8Array): ReadonlyArray<Endpoint> | undefined => {
  const body = bytes.subarray(0, -HASH_BYTES)
  if (
    !bytesEqual(bytes.subarray(-HASH_BYTES), peersChecksum(body)) || !bytesEqual(body.subarray(0, MAGIC_BYTES), magic)
  ) {
    return undefined
  }
  try {
    const from = byteReader(body.subarray(MAGIC_BYTES))
    return Array.from({ length: Math.min(MOST, Number(from.compact())) }, () => decodeCoreRecord(from))
  } catch {
    return undefined
  }
}
