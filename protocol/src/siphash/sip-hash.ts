/** The 128 bits of a SipHash key as four words, the lowest first. */
export type SipKey = Uint32Array

/** A SipHash in two halves, each uint32. */
export interface SipDigest {
  readonly high: number
  readonly low: number
}

/** Decodes a key from 16 bytes: two 64-bit numbers, little-endian. Precondition: at least 16 bytes. */
export const sipKey = (bytes: Uint8Array): SipKey => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16)
  return Uint32Array.of(
    view.getUint32(0, true),
    view.getUint32(4, true),
    view.getUint32(8, true),
    view.getUint32(12, true)
  )
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24

/** Returns the last bytes of a message, at most four from `at` on, as the lower bytes of a word. */
const endOf = (message: Uint8Array, at: number): number => {
  let word = 0
  for (let i = at; i < message.length && i < at + 4; i++) word |= message[i]! << (i - at) * 8
  return word
}

/** Returns 1 if the sum of two words, of which `summand` is one, exceeded 32 bits. */
const carry = (sum: number, summand: number): number => sum >>> 0 < summand >>> 0 ? 1 : 0

/**
 * SipHash-2-4: a keyed hash; without the key an attacker cannot choose collisions.
 *
 * A mempool is hashed for every compact block, so this makes no objects on the way. Numbers of 64 bits are two words
 * each, the lower `l` and the upper `h`.
 */
export const sipHash = (key: SipKey, message: Uint8Array): SipDigest => {
  const words = (message.length >>> 3) + 1
  let l0 = key[0]! ^ 0x70736575
  let h0 = key[1]! ^ 0x736f6d65
  let l1 = key[2]! ^ 0x6e646f6d
  let h1 = key[3]! ^ 0x646f7261
  let l2 = key[0]! ^ 0x6e657261
  let h2 = key[1]! ^ 0x6c796765
  let l3 = key[2]! ^ 0x79746573
  let h3 = key[3]! ^ 0x74656462
  // After the last word come four rounds without one.
  for (let word = 0; word <= words; word++) {
    const isOver = word === words
    const at = word * 8
    const isWhole = at + 8 <= message.length
    const low = isWhole ? wordAt(message, at) : isOver ? 0 : endOf(message, at)
    const high = isWhole ? wordAt(message, at + 4) : isOver ? 0 : endOf(message, at + 4) | message.length << 24
    if (isOver) l2 ^= 0xff
    l3 ^= low
    h3 ^= high
    for (let rounds = isOver ? 4 : 2; rounds > 0; rounds--) {
      const a0 = l0 + l1 | 0
      const b0 = h0 + h1 + carry(a0, l1) | 0
      const a1 = (l1 << 13 | h1 >>> 19) ^ a0
      const b1 = (h1 << 13 | l1 >>> 19) ^ b0
      const a2 = l2 + l3 | 0
      const b2 = h2 + h3 + carry(a2, l3) | 0
      const a3 = (l3 << 16 | h3 >>> 16) ^ a2
      const b3 = (h3 << 16 | l3 >>> 16) ^ b2
      // Rotation by 32 bits swaps the halves of a number.
      l0 = b0 + a3 | 0
      h0 = a0 + b3 + carry(l0, a3) | 0
      l3 = (a3 << 21 | b3 >>> 11) ^ l0
      h3 = (b3 << 21 | a3 >>> 11) ^ h0
      h2 = a2 + a1 | 0
      l2 = b2 + b1 + carry(h2, a1) | 0
      l1 = (a1 << 17 | b1 >>> 15) ^ h2
      h1 = (b1 << 17 | a1 >>> 15) ^ l2
    }
    l0 ^= low
    h0 ^= high
  }
  return { high: (h0 ^ h1 ^ h2 ^ h3) >>> 0, low: (l0 ^ l1 ^ l2 ^ l3) >>> 0 }
}

/** Returns a SipHash as one 64-bit number. */
export const sipNumber = ({ high, low }: SipDigest): bigint => (BigInt(high) << 32n) | BigInt(low)
