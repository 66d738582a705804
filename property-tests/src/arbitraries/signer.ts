import { hashes, schnorr, sign as signCompact } from "@noble/secp256k1"
import { createHmac } from "node:crypto"
import { bigEndian, fromBigEndian, join } from "../oracles/byte-string.ts"
import { BASE, GROUP_ORDER, modulo, multiple, type Point } from "../oracles/curve.ts"
import { sha256, taggedHash } from "../oracles/hash.ts"

hashes.sha256 = (message) => sha256(message) as Uint8Array<ArrayBuffer>
hashes.hmacSha256 = (key, message) => Uint8Array.from(createHmac("sha256", key).update(message).digest())

/** A secret with its point and the encodings of its public key. */
export interface KeyPair {
  readonly secret: bigint
  readonly point: Point
  readonly compressed: Uint8Array
  readonly uncompressed: Uint8Array
  /** The same bytes with a prefix that repeats the parity. */
  readonly hybrid: Uint8Array
  readonly xOnly: Uint8Array
}

const keyPairOf = (secret: bigint): KeyPair => {
  const point = multiple(secret, BASE)!
  const [x, y, parity] = [bigEndian(point.x, 32), bigEndian(point.y, 32), Number(point.y % 2n)]
  return {
    secret,
    point,
    compressed: join([2 + parity], x),
    uncompressed: join([4], x, y),
    hybrid: join([6 + parity], x, y),
    xOnly: x
  }
}

/** The keys everything is signed with: the first multiples of the base point, and the last. */
export const KEY_PAIRS: ReadonlyArray<KeyPair> = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, GROUP_ORDER - 1n].map(keyPairOf)

/** r and s of a deterministic signature with a low s. */
export const ecdsaOf = (digest: Uint8Array, secret: bigint): { readonly r: bigint; readonly s: bigint } => {
  const compact = signCompact(digest, bigEndian(secret, 32), { prehash: false })
  return { r: fromBigEndian(compact.subarray(0, 32)), s: fromBigEndian(compact.subarray(32, 64)) }
}

/** A BIP340 signature; the auxiliary randomness is zero. */
export const schnorrOf = (digest: Uint8Array, secret: bigint): Uint8Array =>
  schnorr.sign(digest, bigEndian(secret, 32), new Uint8Array(32))

/** The secret of the output key that commits to `root` (empty: to no script) under the internal key of `pair`. */
export const tweakedSecret = (pair: KeyPair, root: Uint8Array): bigint => {
  const tweak = fromBigEndian(taggedHash("TapTweak", pair.xOnly, root))
  const even = pair.point.y % 2n === 0n ? pair.secret : GROUP_ORDER - pair.secret
  return modulo(even + tweak, GROUP_ORDER)
}

export const keyPairOfSecret = keyPairOf
