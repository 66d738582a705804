import fc, { type Arbitrary } from "fast-check"
import { join } from "../oracles/byte-string.ts"
import type { NaiveTapscript, NaiveVersion } from "../oracles/machine.ts"
import { legacySighash, taprootSighash, witnessV0Sighash } from "../oracles/sighash.ts"
import type { NaiveSpend } from "../oracles/spend.ts"
import { publicKeyEncoding, xOnlyKey } from "./key.ts"
import { derOf, hashTypeByte, signatureWithHashType } from "./signature.ts"
import { ecdsaOf, type KeyPair, schnorrOf } from "./signer.ts"

/** What a signature in a script signs besides the transaction. */
export interface SigningContext {
  readonly spend: NaiveSpend
  readonly version: NaiveVersion
  /** From behind the last executed separator on. */
  readonly scriptCode: Uint8Array
  readonly tapscript: NaiveTapscript
  readonly separator: number
}

const ecdsaDigest = ({ spend, version, scriptCode }: SigningContext, hashType: number): Uint8Array =>
  version === "base"
    ? legacySighash(spend.tx, spend.index, scriptCode, hashType)
    : witnessV0Sighash(spend.tx, spend.index, scriptCode, spend.spent[spend.index]!.value, hashType)

const ecdsaSignature = (context: SigningContext, pair: KeyPair, hashType: number): Uint8Array => {
  const { r, s } = ecdsaOf(ecdsaDigest(context, hashType), pair.secret)
  return join(derOf(r, s), [hashType])
}

const schnorrSignature = (
  { spend, tapscript, separator }: SigningContext,
  pair: KeyPair,
  hashType: number
): Uint8Array => {
  const single = (hashType & 3) === 3 && spend.index >= spend.tx.outputs.length
  const type = single ? 0 : [0, 1, 2, 3, 0x81, 0x82, 0x83].includes(hashType) ? hashType : 1
  const extension = { leafHash: tapscript.leafHash, separator }
  const digest = taprootSighash(spend.tx, spend.index, spend.spent, type, tapscript.annex, extension)
  return join(schnorrOf(digest, pair.secret), type === 0 ? [] : [type])
}

/** A signature by `pair` that verifies in `context`, whose flags may still refuse its form. */
export const validSignature = (context: SigningContext, pair: KeyPair, hashType: number): Uint8Array =>
  context.version === "tapscript" ? schnorrSignature(context, pair, hashType) : ecdsaSignature(context, pair, hashType)

const keyOf = (context: SigningContext, pair: KeyPair, form: number): Uint8Array =>
  context.version === "tapscript" ? pair.xOnly : [pair.compressed, pair.uncompressed, pair.hybrid][form]!

const schnorrShape: Arbitrary<Uint8Array> = fc
  .tuple(fc.constantFrom(0, 1, 63, 64, 64, 65, 65, 66), hashTypeByte)
  .map(([length, byte]) => new Uint8Array(length).fill(byte))

/** Signature and key: fitting, the signature of another key, damaged, or anything. */
export const signatureAndKey = (
  context: SigningContext,
  pairs: ReadonlyArray<KeyPair>
): Arbitrary<readonly [Uint8Array, Uint8Array]> => {
  const pair = fc.constantFrom(...pairs)
  const valid = fc
    .tuple(pair, hashTypeByte, fc.nat(2))
    .map(([by, hashType, form]) => [validSignature(context, by, hashType), keyOf(context, by, form)] as const)
  const other = fc.tuple(valid, pair).map(([[signature], by]) => [signature, keyOf(context, by, 0)] as const)
  const damaged = fc
    .tuple(valid, fc.nat(), fc.integer({ min: 1, max: 255 }))
    .map(
      ([[signature, key], at, bits]) =>
        [signature.map((byte, i) => (i === at % signature.length ? byte ^ bits : byte)), key] as const
    )
  const anyKey = context.version === "tapscript" ? fc.oneof(xOnlyKey, publicKeyEncoding) : publicKeyEncoding
  const anything = fc.tuple(context.version === "tapscript" ? schnorrShape : signatureWithHashType, anyKey)
  return fc.oneof(
    { weight: 4, arbitrary: valid },
    { weight: 1, arbitrary: other },
    { weight: 2, arbitrary: damaged },
    { weight: 3, arbitrary: anything }
  )
}
