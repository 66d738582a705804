import { MOST_GARBAGE } from "./packet-layout.ts"
import type { TransportCrypto } from "./transport-crypto.ts"

/** Unpredictable numbers: a seeded source makes a run repeatable. */
export interface TransportRandom {
  /** A whole number from 0 up to, not including, `bound`. */
  readonly below: (bound: number) => number
  readonly bytes: (count: number) => Uint8Array
}

/** What this side sends first, and what must be kept of it until the peer's key is there. */
export interface OwnOpening {
  readonly privateKey: Uint8Array
  readonly encoded: Uint8Array
  readonly garbage: Uint8Array
}

/** One in 2^127 draws is 0 or not below the group order: such a one is changed in its first byte. */
const drawPrivateKey = (random: TransportRandom): Uint8Array => {
  const key = random.bytes(32)
  const isZero = key.every((byte) => byte === 0)
  const isLarge = key.subarray(0, 15).every((byte) => byte === 0xff)
  if (isZero || isLarge) key[0]! ^= 1
  return key
}

/** A key of this connection alone, and garbage of a length that says nothing. */
export const ownOpening = (crypto: TransportCrypto, random: TransportRandom): OwnOpening => {
  const privateKey = drawPrivateKey(random)
  return {
    privateKey,
    encoded: crypto.encodePublicKey(privateKey, random.bytes(32)),
    garbage: random.bytes(random.below(MOST_GARBAGE + 1))
  }
}
