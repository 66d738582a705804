import { writeBytes, writeInt64, writerOf } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { Header } from "@lockstep/kernel/model"
import { sipHash, type SipKey, sipKey } from "../../siphash/sip-hash.ts"

const TWO_TO_32 = 0x1_0000_0000

/**
 * The key of a compact block's short ids: transactions that collide cannot be chosen before the block is found.
 *
 *     key = first 16 bytes of SHA256(header ‖ nonce)
 */
export const shortIdKey = (header: Header, nonce: bigint, crypto: Crypto): SipKey => {
  const writer = writerOf(88)
  writeBytes(writer, header.bytes)
  writeInt64(writer, nonce)
  return sipKey(crypto.sha256(writer.bytes))
}

/** Returns the short id of a transaction: the lower 48 bits of the SipHash of its witness id, in wire order. */
export const shortId = (key: SipKey, witnessId: Uint8Array): number => {
  const { high, low } = sipHash(key, witnessId)
  return (high & 0xffff) * TWO_TO_32 + low
}
