import { Point } from "@noble/secp256k1"
import { createHash } from "node:crypto"

const sha256 = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}

const tagged = (tag: string, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const prefix = sha256(new TextEncoder().encode(tag))
  return sha256(prefix, prefix, ...parts)
}

const scalar = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`)

const { x: GENERATOR_X } = Point.BASE.toAffine()
const INTERNAL_KEY = Uint8Array.from(Buffer.from(GENERATOR_X.toString(16).padStart(64, "0"), "hex"))

const LEAF_VERSION = 0xc0

/** A taproot output and what spends it by its script. */
export interface SingleLeafOutput {
  readonly outputKey: Uint8Array
  readonly controlBlock: Uint8Array
}

/**
 * The output whose only leaf is `script` (leaf version 0xc0) and whose internal key is the public key of private key 1.
 */
export const singleLeafOutput = (script: Uint8Array): SingleLeafOutput => {
  if (script.length >= 65536) throw new RangeError("a leaf of a test vector is shorter than 65,536 bytes")
  const size = script.length < 253 ? [script.length] : [253, script.length & 255, script.length >> 8]
  const leaf = tagged("TapLeaf", Uint8Array.of(LEAF_VERSION, ...size), script)
  const { x, y } = Point.BASE.add(Point.BASE.multiply(scalar(tagged("TapTweak", INTERNAL_KEY, leaf)))).toAffine()
  return {
    outputKey: Uint8Array.from(Buffer.from(x.toString(16).padStart(64, "0"), "hex")),
    controlBlock: Uint8Array.of(LEAF_VERSION | Number(y & 1n), ...INTERNAL_KEY)
  }
}
