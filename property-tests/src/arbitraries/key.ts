import fc, { type Arbitrary } from "fast-check"
import { bigEndian, join } from "../oracles/byte-string.ts"
import { FIELD_PRIME } from "../oracles/curve.ts"
import { edgeBytes, mutated } from "./bytes.ts"
import { KEY_PAIRS, type KeyPair } from "./signer.ts"

export const keyPair: Arbitrary<KeyPair> = fc.constantFrom(...KEY_PAIRS)

/** Any prefix before a valid point: among them hybrids of the right and the wrong parity. */
const reprefixed = fc
  .tuple(keyPair, fc.constantFrom(0, 2, 3, 4, 5, 6, 7, 8, 0x50, 0xff), fc.boolean())
  .map(([pair, prefix, short]) => join([prefix], (short ? pair.compressed : pair.uncompressed).subarray(1)))

/** Coordinates at the field prime and beside it, and x = 5, which no point has. */
const strangeX = fc
  .tuple(fc.constantFrom(2, 3), fc.constantFrom(0n, 1n, 5n, FIELD_PRIME - 1n, FIELD_PRIME, FIELD_PRIME + 1n))
  .map(([prefix, x]) => join([prefix], bigEndian(x, 32)))

/** Valid encodings of a public key, nearly valid ones, and bytes. */
export const publicKeyEncoding: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 3, arbitrary: keyPair.map((pair) => pair.compressed) },
  { weight: 2, arbitrary: keyPair.map((pair) => pair.uncompressed) },
  { weight: 2, arbitrary: keyPair.map((pair) => pair.hybrid) },
  { weight: 2, arbitrary: reprefixed },
  { weight: 1, arbitrary: strangeX },
  { weight: 1, arbitrary: mutated(keyPair.map((pair) => pair.uncompressed)) },
  { weight: 1, arbitrary: edgeBytes(66) }
)

/** 32 bytes as an x-only key: of a point, of none, beyond the field. */
export const xOnlyKey: Arbitrary<Uint8Array> = fc.oneof(
  keyPair.map((pair) => pair.xOnly),
  fc.constantFrom(0n, 1n, 5n, FIELD_PRIME - 1n, FIELD_PRIME, FIELD_PRIME + 1n).map((x) => bigEndian(x, 32)),
  fc.uint8Array({ minLength: 32, maxLength: 32 })
)
