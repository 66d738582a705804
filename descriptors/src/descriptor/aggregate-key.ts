import { compareBytes, concatBytes } from "@lockstep/kernel/bytes"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { HDKey } from "@scure/bip32"
import { hash } from "node:crypto"

const { Point } = secp256k1

const sha256 = (data: Uint8Array): Uint8Array => hash("sha256", data, "buffer")

const tagged = (tag: string, data: Uint8Array): Uint8Array => {
  const start = sha256(new TextEncoder().encode(tag))
  return sha256(concatBytes([start, start, data]))
}

/**
 * The key of all the signers of a MuSig2 signature together (BIP327), the keys in the order of their bytes. With L the
 * hash of all keys and K₂ the first key that is not the first:
 *
 *     Q = Σ aᵢ·Kᵢ,  aᵢ = 1 for Kᵢ = K₂, else hash(L ‖ Kᵢ)
 *
 * None: they add up to the point at infinity; finding such keys is infeasible. Precondition: keys of 33 bytes on the
 * curve, at least one.
 */
export const aggregateKey = (keys: ReadonlyArray<Uint8Array>): Uint8Array | undefined => {
  const sorted = keys.toSorted(compareBytes)
  const list = tagged("KeyAgg list", concatBytes(sorted))
  const second = sorted.find((key) => compareBytes(key, sorted[0]!) !== 0)
  let sum = Point.ZERO
  for (const key of sorted) {
    const point = Point.fromBytes(key)
    const isSecond = second !== undefined && compareBytes(key, second) === 0
    sum = sum.add(
      isSecond
        ? point
        : point.multiply(Point.Fn.create(toNumber(tagged("KeyAgg coefficient", concatBytes([list, key])))))
    )
  }
  return sum.is0() ? undefined : sum.toBytes(true)
}

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`)

/** The hash of "MuSig2MuSig2MuSig2" (BIP328). */
const CHAIN_CODE = sha256(new TextEncoder().encode("MuSig2MuSig2MuSig2"))

/** The extended public key that children of an aggregate key are derived from (BIP328). */
export const aggregateRoot = (key: Uint8Array): HDKey => new HDKey({ publicKey: key, chainCode: CHAIN_CODE })
