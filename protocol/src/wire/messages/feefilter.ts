import { readInt64, writeInt64, writerOf } from "@lockstep/kernel/bytes"
import type { Codec } from "../codec.ts"

/**
 * The least feerate of transactions that the sender wants announced, in satoshis per 1,000 virtual bytes, int64
 * (BIP133).
 */
export interface FeeFilterMessage {
  readonly command: "feefilter"
  readonly feerate: bigint
}

export const feefilter: Codec<FeeFilterMessage> = {
  read: (cursor) => ({ command: "feefilter", feerate: readInt64(cursor) }),
  write: ({ feerate }) => {
    const writer = writerOf(8)
    writeInt64(writer, feerate)
    return writer.bytes
  }
}
