import { Point } from "@noble/secp256k1"
import { fromHex, join, sha256, to32, toHex } from "./bytes.ts"
import {
  der,
  type Ecdsa,
  FIELD,
  forged,
  keyForms,
  lift,
  ORDER,
  publicKey,
  raised,
  secretKey,
  signEcdsa,
  signerOf
} from "./curve.ts"
import type { RuleVectors, VectorCase } from "./vector.ts"

const digest = sha256(new TextEncoder().encode("lockstep message"))
const { compressed, uncompressed, hybrid, wrongHybrid } = publicKey(1)
const signature = signEcdsa(secretKey(1), digest)

const verifies = (
  name: string,
  value: boolean,
  given: { readonly signature?: Ecdsa | Uint8Array; readonly key?: Uint8Array; readonly digest?: Uint8Array } = {}
): VectorCase => {
  const { signature: sig = signature, key = compressed, digest: message = digest } = given
  const encoded = sig instanceof Uint8Array ? sig : der(sig)
  const args = { signature: toHex(encoded), key: toHex(key), digest: toHex(message) }
  return { name, call: { function: "ecdsaVerifies", args }, expect: { value } }
}

const misread = ({ expect, ...rest }: VectorCase): VectorCase => ({
  ...rest,
  expect: { notValue: !(expect as { readonly value: boolean }).value }
})

const one = to32(1n)
/** s = 1 by the nonce 3·G: small enough to be written with the order added. */
const smallS = { r: Point.BASE.multiply(3n).toAffine().x % ORDER, s: 1n }
const smallSKey = keyForms(signerOf(Point.BASE.multiply(3n), 1n, digest)).compressed

/** The least x at or above `from` that has a point. */
const pointFrom = (from: bigint): Point => lift(from) ?? pointFrom(from + 1n)

const smallNonce = pointFrom(1n)
const smallR = { r: smallNonce.toAffine().x, s: 2n }
const smallRKey = keyForms(signerOf(smallNonce, 2n, digest)).compressed
/** A nonce whose x is not below the group order, so that r is what is left of it. */
const wrapping = pointFrom(ORDER + 1n)
const wrapped = { r: wrapping.toAffine().x - ORDER, s: 2n }
const wrappedKey = keyForms(signerOf(wrapping, 2n, digest)).compressed

const atOne = keyForms(lift(1n)!)
const byPointAtOne = forged(lift(1n)!)
const aboveField = join(atOne.compressed.subarray(0, 1), to32(FIELD + 1n))

/** r·Q = −z·G for this digest and key, so that the sum of the verification is the neutral element. */
const cancelled = { r: 1n, s: 1n }
const cancellingKey = keyForms(Point.BASE.multiply(ORDER - 5n)).compressed

const onCurve = pointFrom(2n).toAffine()

export const ecdsaVerification: RuleVectors = {
  rule: "SIG-004",
  cases: [
    verifies("a signature by a compressed key", true),
    verifies("by an uncompressed key", true, { key: uncompressed }),
    verifies("by a hybrid key", true, { key: hybrid }),
    verifies("by a hybrid key of the wrong parity", false, { key: wrongHybrid }),
    verifies("a high s", true, { signature: raised(signature) }),
    verifies("another digest", false, { digest: one }),
    verifies("another key", false, { key: publicKey(2).compressed }),
    verifies("the same x with the other y", false, {
      key: join(Uint8Array.of(compressed[0]! ^ 1), compressed.subarray(1))
    }),
    verifies("another r", false, { signature: { r: signature.r + 1n, s: signature.s } }),
    verifies("r and s exchanged", false, { signature: { r: signature.s, s: signature.r } }),
    verifies("r is zero", false, { signature: { r: 0n, s: 1n } }),
    verifies("s is zero", false, { signature: { r: signature.r, s: 0n } }),
    verifies("s is 1", true, { signature: smallS, key: smallSKey }),
    verifies("s is 1 plus the group order: it is not reduced", false, {
      signature: { ...smallS, s: ORDER + 1n },
      key: smallSKey
    }),
    verifies("s is the group order less 1", true, { signature: { ...smallS, s: ORDER - 1n }, key: smallSKey }),
    verifies("a small r", true, { signature: smallR, key: smallRKey }),
    verifies("a small r plus the group order: it is not reduced", false, {
      signature: { ...smallR, r: smallR.r + ORDER },
      key: smallRKey
    }),
    verifies("r is what is left of an x above the group order", true, { signature: wrapped, key: wrappedKey }),
    verifies("the digest is above the group order and is reduced", true, {
      signature: signEcdsa(secretKey(1), to32(5n)),
      digest: to32(ORDER + 5n)
    }),
    verifies("a digest of zero", true, { signature: signEcdsa(secretKey(1), to32(0n)), digest: to32(0n) }),
    verifies("the sum is the neutral element", false, { signature: cancelled, key: cancellingKey, digest: to32(5n) }),
    verifies("a key whose x is 1", true, { ...byPointAtOne, signature: byPointAtOne, key: atOne.compressed }),
    verifies("a key whose x is 1 plus the field prime", false, {
      ...byPointAtOne,
      signature: byPointAtOne,
      key: aboveField
    }),
    verifies("x has no point", false, { key: join(Uint8Array.of(2), to32(5n)) }),
    verifies("an uncompressed key off the curve", false, {
      key: join(Uint8Array.of(4), to32(onCurve.x), to32(onCurve.y + 1n))
    }),
    verifies("a key of 32 bytes", false, { key: compressed.subarray(1) }),
    verifies("no key", false, { key: new Uint8Array(0) }),
    verifies("no signature", false, { signature: new Uint8Array(0) }),
    verifies("a signature that cannot be read", false, { signature: fromHex("3006") }),
    verifies("bytes behind the signature", true, { signature: join(der(signature), fromHex("deadbeef")) }),
    misread(verifies("a high s is not refused outside policy", true, { signature: raised(signature) })),
    misread(verifies("a number that is not below the group order is not reduced", false, {
      signature: { ...smallS, s: ORDER + 1n },
      key: smallSKey
    }))
  ]
}
