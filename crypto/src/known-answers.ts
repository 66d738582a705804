import { nobleCrypto } from "@lockstep/kernel/noble"
import type { Hashes } from "./hash/hashes.ts"
import type { Signatures } from "./signatures.ts"

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))

const ZERO = new Uint8Array(32)
const ONE = bytes("00".repeat(31) + "01")
const GENERATOR_X = bytes("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
const DOUBLED_X = bytes("c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5")
const GENERATOR = Uint8Array.of(2, ...GENERATOR_X)
/** Secret key 1 and nonce 1 sign the digest 0 with r = s = x(G). */
const ECDSA_SIGNATURE = Uint8Array.of(...GENERATOR_X, ...GENERATOR_X)
/** The first vector of BIP340: secret key 3, message 0. */
const SCHNORR_KEY = bytes("f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9")
const SCHNORR_SIGNATURE = bytes(
  "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215" +
    "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0"
)

/**
 * Whether a native library answers one right and one wrong case of each kind as it must. A library can be present under
 * the right name and still be another version, broken or built for something else.
 */
export const agreesOnSignatures = ({ ecdsaVerify, schnorrVerify, taprootTweakMatches }: Signatures): boolean =>
  ecdsaVerify(ECDSA_SIGNATURE, GENERATOR, ZERO) && !ecdsaVerify(ECDSA_SIGNATURE, GENERATOR, ONE) &&
  schnorrVerify(SCHNORR_SIGNATURE, SCHNORR_KEY, ZERO) && !schnorrVerify(SCHNORR_SIGNATURE, SCHNORR_KEY, ONE) &&
  taprootTweakMatches(GENERATOR_X, ONE, DOUBLED_X, 0) && !taprootTweakMatches(GENERATOR_X, ONE, DOUBLED_X, 1)

const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/**
 * Whether `hashes` agrees with the reference on inputs of several sizes, and so is the library that it was taken for.
 */
export const agreesOnHashes = (hashes: Hashes): boolean =>
  [0, 3, 55, 56, 63, 64, 5_000].map((size) => new Uint8Array(size).fill(0x5a)).every((data) =>
    equal(hashes.sha256(data), nobleCrypto.sha256(data)) &&
    equal(hashes.sha256d(data), nobleCrypto.sha256d(data)) &&
    equal(hashes.ripemd160(data), nobleCrypto.ripemd160(data)) &&
    equal(hashes.sha1(data), nobleCrypto.sha1(data)) &&
    equal(hashes.hash160(data), nobleCrypto.hash160(data))
  ) && equal(hashes.sha256dPairs(new Uint8Array(128)), nobleCrypto.sha256dPairs(new Uint8Array(128)))
