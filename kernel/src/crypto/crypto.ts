/**
 * The one seam between the rules and cryptographic primitives. The caller of the kernel passes an implementation in;
 * every implementation must agree with the reference (`crypto/noble.ts`) on every input, which conformance proves.
 * No function throws: what cannot be parsed is `false`.
 *
 * Hashes return fresh arrays of their digest size. All byte strings are in wire order.
 */
export interface Crypto {
  readonly sha256: (data: Uint8Array) => Uint8Array
  /** SHA-256 of SHA-256. */
  readonly sha256d: (data: Uint8Array) => Uint8Array
  readonly ripemd160: (data: Uint8Array) => Uint8Array
  readonly sha1: (data: Uint8Array) => Uint8Array
  /** RIPEMD-160 of SHA-256. */
  readonly hash160: (data: Uint8Array) => Uint8Array
  /**
   * One level of a merkle tree: SHA-256d of each 64-byte pair. `pairs.length` is a multiple of 64, at least 64;
   * the answer is half as long.
   */
  readonly sha256dPairs: (pairs: Uint8Array) => Uint8Array
  /**
   * ECDSA over secp256k1. `signature` is r‖s, 64 bytes big-endian, with s at most half the group order (the kernel
   * normalises); `key` is a 33-byte compressed (02/03) or 65-byte uncompressed (04) point, not known to be on the
   * curve; `digest` is 32 bytes. False when r or s is 0 or not below the order, or the key is no point.
   */
  readonly ecdsaVerify: (signature: Uint8Array, key: Uint8Array, digest: Uint8Array) => boolean
  /**
   * BIP340: `signature` 64 bytes, x-only `key` 32 bytes, `message` 32 bytes (the vectors of BIP340 use other lengths
   * too).
   */
  readonly schnorrVerify: (signature: Uint8Array, key: Uint8Array, message: Uint8Array) => boolean
  /**
   * BIP341: whether `output` (32 bytes, with `parity` 0 or 1 of its y) is the x-only `internal` key plus `tweak`·G.
   * False when the internal key is no point or the tweak is not below the group order.
   */
  readonly taprootTweakMatches: (internal: Uint8Array, tweak: Uint8Array, output: Uint8Array, parity: number) => boolean
}
