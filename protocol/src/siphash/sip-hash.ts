import siphash from "siphash"

/** The 128 bits of a SipHash key as four words, the lowest first. */
export type SipKey = Uint32Array

/** A SipHash in two halves, each uint32. */
export interface SipDigest {
  readonly high: number
  readonly low: number
}

/**
 * The key that 16 bytes are: two numbers of 64 bits, little-endian, one after the other. Precondition: at least 16
 * bytes.
 */
export const sipKey = (bytes: Uint8Array): SipKey => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16)
  return Uint32Array.of(
    view.getUint32(0, true),
    view.getUint32(4, true),
    view.getUint32(8, true),
    view.getUint32(12, true)
  )
}

/** SipHash-2-4: a keyed hash; without the key an attacker cannot choose collisions. */
export const sipHash = (key: SipKey, message: Uint8Array): SipDigest => {
  const { h, l } = siphash.hash(key, message)
  return { high: h, low: l }
}

/** A SipHash as one number of 64 bits. */
export const sipNumber = ({ high, low }: SipDigest): bigint => (BigInt(high) << 32n) | BigInt(low)
