import { Point } from "@noble/secp256k1"
import { join, sha256, tagged, to32, toHex, toNumber } from "./bytes.ts"
import { FIELD, inverse, keyForms, ORDER, publicKey, reduced, secretKey, signSchnorr } from "./curve.ts"
import { breaks, type RuleVectors, type VectorCase } from "./vector.ts"

const message = sha256(new TextEncoder().encode("lockstep message"))
const { xOnly, parity } = publicKey(1)
const secret = parity === 0 ? secretKey(1) : ORDER - secretKey(1)
const signature = signSchnorr(secretKey(1), message)
const R = signature.subarray(0, 32)
const s = toNumber(signature.subarray(32))

const REFUSED = breaks("SIG-007", "SCHNORR_SIG")

const judged = (
  name: string,
  expect: unknown,
  given: { readonly signature?: Uint8Array; readonly key?: Uint8Array; readonly digest?: Uint8Array } = {}
): VectorCase => {
  const { signature: sig = signature, key = xOnly, digest = message } = given
  const args = { signature: toHex(sig), key: toHex(key), digest: toHex(digest) }
  return { name, call: { function: "schnorrSignatureVerifies", args }, expect }
}

const challenge = (r: Uint8Array): bigint => reduced(toNumber(tagged("BIP0340/challenge", r, xOnly, message)))

/** A nonce of either parity, not negated: with an odd one the equation holds but for the parity. */
const byNonce = (nonce: bigint): Uint8Array => {
  const point = keyForms(Point.BASE.multiply(nonce))
  return join(point.xOnly, to32(reduced(nonce + challenge(point.xOnly) * secret)))
}
const nonceOf = (wanted: number, from = 1n): bigint =>
  keyForms(Point.BASE.multiply(from)).parity === wanted ? from : nonceOf(wanted, from + 1n)

const anyR = to32(1n)

export const schnorrVerification: RuleVectors = {
  rule: "SIG-007",
  cases: [
    judged("a signature", "holds"),
    judged("a key whose point had an odd y before it was x-only", "holds", {
      signature: signSchnorr(ORDER - secretKey(1), message)
    }),
    judged("a 65th byte is the hash type and no part of it", "holds", {
      signature: join(signature, Uint8Array.of(0x81))
    }),
    judged("a message of zeros", "holds", { signature: signSchnorr(secretKey(1), to32(0n)), digest: to32(0n) }),
    judged("a nonce point with even y", "holds", { signature: byNonce(nonceOf(0)) }),
    judged("a nonce point with odd y", REFUSED, { signature: byNonce(nonceOf(1)) }),
    judged("another message", REFUSED, { digest: to32(1n) }),
    judged("another key", REFUSED, { key: publicKey(2).xOnly }),
    judged("another r", REFUSED, { signature: join(to32(toNumber(R) ^ 1n), signature.subarray(32)) }),
    judged("s negated: unlike ECDSA it does not verify", REFUSED, { signature: join(R, to32(ORDER - s)) }),
    judged("the sum is the neutral element", REFUSED, {
      signature: join(anyR, to32(reduced(challenge(anyR) * secret)))
    }),
    judged("s is zero", REFUSED, { signature: join(R, to32(0n)) }),
    judged("s is the group order less 1", REFUSED, { signature: join(R, to32(ORDER - 1n)) }),
    judged("s is the group order: btcd once reduced it to zero", REFUSED, { signature: join(R, to32(ORDER)) }),
    judged("s is the group order plus 1", REFUSED, { signature: join(R, to32(ORDER + 1n)) }),
    judged("r is the field prime", REFUSED, { signature: join(to32(FIELD), signature.subarray(32)) }),
    judged("r is zero", REFUSED, { signature: join(to32(0n), signature.subarray(32)) }),
    judged("the key is no point", REFUSED, { key: to32(5n) }),
    judged("the key is the field prime plus 1", REFUSED, { key: to32(FIELD + 1n) }),
    judged("an ECDSA signature of the same message", REFUSED, {
      signature: join(R, to32(reduced(inverse(secret) * (toNumber(message) + toNumber(R) * secret))))
    }),
    judged("all zeros", REFUSED, { signature: new Uint8Array(64) })
  ]
}
