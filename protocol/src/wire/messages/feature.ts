import { readBytes, readCompactSize, sizedLength, writeSized, writerOf } from "@lockstep/kernel/bytes"
import type { Codec } from "../codec.ts"
import { LIMITS } from "../limits.ts"
import { type PayloadCursor, refuse } from "../payload-cursor.ts"

/** A feature of the sender for which this protocol has no message; sent before `verack` (BIP434). */
export interface FeatureMessage {
  readonly command: "feature"
  /** 4 to 80 bytes of any value. */
  readonly id: Uint8Array
  /** Data that the feature defines, at most 512 bytes. */
  readonly data: Uint8Array
}

const LEAST_ID_BYTES = 4

const readSized = (
  cursor: PayloadCursor,
  what: "feature id" | "feature data",
  least: number,
  most: number
): Uint8Array => {
  const length = readCompactSize(cursor)
  if (length >= least && length <= most) return readBytes(cursor, length)
  refuse(cursor, { _tag: "WrongLength", what, length, least, most })
  return new Uint8Array(0)
}

export const feature: Codec<FeatureMessage> = {
  read: (cursor) => {
    const id = readSized(cursor, "feature id", LEAST_ID_BYTES, LIMITS.featureId.most)
    const data = readSized(cursor, "feature data", 0, LIMITS.featureData.most)
    return { command: "feature", id, data }
  },
  write: ({ data, id }) => {
    const writer = writerOf(sizedLength(id) + sizedLength(data))
    writeSized(writer, id)
    writeSized(writer, data)
    return writer.bytes
  }
}
