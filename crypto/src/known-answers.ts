import { hash } from "node:crypto"
import type { Hashes } from "./hash/hashes.ts"
import type { Signatures } from "./signatures.ts"
import type { EllSwift } from "./transport/ellswift.ts"

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

/** Around the sizes at which padding takes another block, and one beyond the buffers that libraries are called with. */
const HASHED = [0, 3, 55, 56, 63, 64, 5_000].map((size) => new Uint8Array(size).fill(0x5a))
const PAIR = new Uint8Array(128)
/** SHA-256 of all that the reference makes of these inputs, one answer behind the other. */
const ALL_HASHES = bytes("60c1bd89da00a2dbdff1e194c6162a071c52ad6a964f201c157df099e1f043b0")

/**
 * Reports whether `hashes` gives the reference's answers for inputs of several sizes, and so is the library that it was
 * taken for. The answers are known beforehand: every start asks, and the reference is slow until it has been compiled.
 */
export const agreesOnHashes = (hashes: Hashes): boolean => {
  const { hash160, ripemd160, sha1, sha256, sha256d, sha256dPairs } = hashes
  const answers = HASHED.flatMap((data) => [sha256, sha256d, ripemd160, sha1, hash160].map((of) => of(data)))
  return equal(hash("sha256", Buffer.concat([...answers, sha256dPairs(PAIR)]), "buffer"), ALL_HASHES)
}

const PRIVATE_KEY = new Uint8Array(32).fill(0x11)
const ENTROPY = new Uint8Array(32).fill(0x22)
const OTHER_KEY = new Uint8Array(64).fill(0x33)
/** What the reference makes of them. */
const OWN_KEY = bytes(
  "f015e1b1642b6767d9e7bf58905a2de67076f4321aa8baf9575d6db66954dc74" +
    "bef43fa8590171fa9e1c2095ce3a19748695046b127056d7f10a478def6d0113"
)
const INITIATOR_SECRET = bytes("1215c3c1d814256434da55610456742efc1330491b1f0c12eca64e80e8e73644")
const RESPONDER_SECRET = bytes("8bbc63c018f397a1ffbab845cfb6566df052cccb9caaa448ffd1528c2784cee2")

/** Reports whether a library encodes a key and agrees on secrets as the reference does. Throws where the library does. */
export const agreesOnEllSwift = ({ encodePublicKey, sharedSecret }: EllSwift): boolean =>
  equal(encodePublicKey(PRIVATE_KEY, ENTROPY), OWN_KEY) &&
  equal(sharedSecret(PRIVATE_KEY, OWN_KEY, OTHER_KEY, true), INITIATOR_SECRET) &&
  equal(sharedSecret(PRIVATE_KEY, OWN_KEY, OTHER_KEY, false), RESPONDER_SECRET)
