import { MOST_GARBAGE } from "./packet-layout.ts"
import type { TransportCrypto } from "./transport-crypto.ts"

/** Source of unpredictable numbers; a seeded one makes a run repeatable. */
export interface TransportRandom {
  /** Returns a whole number from 0 to `bound` - 1. */
  readonly below: (bound: number) => number
  readonly bytes: (count: number) => Uint8Array
}

/** The first bytes that this side sends, and the private data to keep until the peer's key arrives. */
export interface OwnOpening {
  readonly privateKey: Uint8Array
  readonly encoded: Uint8Array
  readonly garbage: Uint8Array
}

/** Draws a private key. One in 2^127 draws is 0 or not below the group order; its first byte is then changed. */
const drawPrivateKey = (random: TransportRandom): Uint8Array => {
  const key = random.bytes(32)
  const isZero = key.every((byte) => byte === 0)
  const isLarge = key.subarray(0, 15).every((byte) => byte === 0xff)
  if (isZero || isLarge) key[0]! ^= 1
  return key
}

/** Returns a key for this connection only, and garbage of a random length. */
export const ownOpening = (crypto: TransportCrypto, random: TransportRandom): OwnOpening => {
  const privateKey = drawPrivateKey(random)
  return {
    privateKey,
    encoded: crypto.encodePublicKey(privateKey, random.bytes(32)),
    garbage: random.bytes(random.below(MOST_GARBAGE + 1))
  }
}
