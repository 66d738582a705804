import { checkEcdsaSignature } from "@lockstep/kernel/internal/interpreter/check-ecdsa.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { type SigningContext, validSignature } from "../../arbitraries/checked-signature.ts"
import { surroundings } from "../../arbitraries/evaluation.ts"
import { keyPair, publicKeyEncoding } from "../../arbitraries/key.ts"
import { anyScript } from "../../arbitraries/script.ts"
import { hashTypeByte, signatureWithHashType } from "../../arbitraries/signature.ts"
import { check } from "../../check.ts"
import { join } from "../../oracles/byte-string.ts"
import { checkSignature } from "../../oracles/check-signature.ts"
import { evaluate, initialState, NO_TAPSCRIPT } from "../../oracles/evaluate.ts"
import { pushOf } from "../../oracles/instructions.ts"
import type { NaiveSpend } from "../../oracles/spend.ts"
import { kernelEvaluation, loadedMachine, outcomeName } from "../../subject/kernel.ts"

/** A signature of a script code that holds the signature itself: in whole pushes, in longer ones, inside other data. */
interface SelfSigned {
  readonly spend: NaiveSpend
  readonly version: "base" | "witness_v0"
  readonly script: Uint8Array
  readonly codeStart: number
  readonly signature: Uint8Array
  readonly key: Uint8Array
}

const wholeScript = anyScript.map((script) => script.subarray(0, 20))

const selfSigned: Arbitrary<SelfSigned> = fc
  .record({
    spend: surroundings,
    version: fc.constantFrom("base" as const, "base" as const, "witness_v0" as const),
    before: fc.uint8Array({ maxLength: 3 }),
    around: fc.array(fc.oneof(fc.constant(Uint8Array.of(171)), fc.constant(Uint8Array.of(97)), wholeScript), {
      maxLength: 3
    }),
    places: fc.array(fc.nat(3), { maxLength: 3 }),
    pair: keyPair,
    hashType: hashTypeByte,
    stray: fc.option(fc.tuple(signatureWithHashType, publicKeyEncoding), { nil: undefined, freq: 3 }),
    form: fc.nat(2)
  })
  .map(({ spend, version, before, around, places, pair, hashType, stray, form }) => {
    const context: SigningContext = {
      spend,
      version,
      scriptCode: join(...around),
      tapscript: NO_TAPSCRIPT,
      separator: 0xffffffff
    }
    const valid = stray?.[0] ?? validSignature(context, pair, hashType)
    const self = [
      pushOf(valid),
      join([76, valid.length], valid),
      pushOf(pushOf(valid)),
      join(pushOf(valid), pushOf(valid))
    ]
    const parts = around.flatMap((part, i) => (places[i] === undefined ? [part] : [self[places[i]]!, part]))
    const key = stray?.[1] ?? [pair.compressed, pair.uncompressed, pair.hybrid][form]!
    return { spend, version, script: join(before, ...parts), codeStart: before.length, signature: valid, key }
  })

describe("SIG one ECDSA check", () => {
  it("SIG-009/P1 the value, or the first broken rule, equals the statement", () => {
    check(
      fc.property(selfSigned, ({ spend, version, script, codeStart, signature, key }) => {
        const m = loadedMachine([], script, version, spend)
        m.separatorOffset = codeStart
        const expected = checkSignature({ ...initialState([], script, version, spend), codeStart }, signature, key)
        const actual = checkEcdsaSignature(m, signature, key)
        agree(
          outcomeName(actual),
          typeof expected === "string" ? expected : expected.success
        )
      }),
      300
    )
  })

  it("OPC-174/P1 a multisig deletes its signatures from a base script, and only from one", () => {
    const cases = fc.tuple(
      surroundings,
      fc.constantFrom("base" as const, "witness_v0" as const),
      fc.array(keyPair, { minLength: 1, maxLength: 3 }),
      hashTypeByte,
      fc.nat(7)
    )
    check(
      fc.property(cases, ([spend, version, pairs, hashType, within]) => {
        const kept = join(...pairs.map(() => [117]), [174])
        const context: SigningContext = {
          spend,
          version,
          scriptCode: kept,
          tapscript: NO_TAPSCRIPT,
          separator: 0xffffffff
        }
        const signatures = pairs.map((pair) => validSignature(context, pair, hashType))
        const script = join(
          ...signatures.map((signature, i) => join((within >> i) & 1 ? pushOf(signature) : [0], [117])),
          [174]
        )
        const stack = [
          new Uint8Array(0),
          ...signatures,
          Uint8Array.of(pairs.length),
          ...pairs.map((pair) => pair.compressed),
          Uint8Array.of(pairs.length)
        ]
        agree(kernelEvaluation(stack, script, version, spend), evaluate(stack, script, version, spend))
      }),
      100
    )
  })
})
