import { sizedLength, writerOf, writeSized } from "../bytes/writer.ts"
import { ANNEX_TAG } from "../constants.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { Bytes } from "../quantities.ts"

/**
 * Returns the annex of a taproot witness: the last of at least two items, if it starts with {@link ANNEX_TAG}.
 * Otherwise returns `undefined`.
 *
 * @spec TAP-002 #244e8e9c
 */
export const annexOf = (witness: ReadonlyArray<Bytes>): Bytes | undefined => {
  if (witness.length < 2) return undefined
  const last = witness[witness.length - 1]!
  return last[0] === ANNEX_TAG ? last : undefined
}

/** Returns the SHA-256 of the annex after its length, as signatures commit to it. @internal */
export const annexHash = (annex: Uint8Array, crypto: Crypto): Uint8Array => {
  const writer = writerOf(sizedLength(annex))
  writeSized(writer, annex)
  return crypto.sha256(writer.bytes)
}
