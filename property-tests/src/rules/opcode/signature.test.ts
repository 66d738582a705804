import { evaluateScript } from "@lockstep/kernel/internal/interpreter/evaluate.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { type SigningContext, signatureAndKey, validSignature } from "../../arbitraries/checked-signature.ts"
import { surroundings, tapscriptContext, version } from "../../arbitraries/evaluation.ts"
import { keyPair } from "../../arbitraries/key.ts"
import { numberOperand } from "../../arbitraries/number.ts"
import { hashTypeByte, signatureWithHashType } from "../../arbitraries/signature.ts"
import { KEY_PAIRS, type KeyPair } from "../../arbitraries/signer.ts"
import { check } from "../../check.ts"
import { join } from "../../oracles/byte-string.ts"
import { stateAfter } from "../../oracles/evaluate.ts"
import { bytesOfNumber } from "../../oracles/script-number.ts"
import type { NaiveStack } from "../../oracles/stack-functions.ts"
import { faultName, loadedMachine, stackOf } from "../../subject/kernel.ts"

/** `lead` separators and no-operations, then `opcode`; signatures sign what stands behind the last separator. */
const contextOf = (
  opcode: number,
  versions: Arbitrary<SigningContext["version"]> = version
): Arbitrary<SigningContext & { readonly script: Uint8Array }> =>
  fc
    .tuple(
      surroundings,
      versions,
      tapscriptContext,
      fc.array(fc.constantFrom(97, 171), { maxLength: 2 }),
      fc.constantFrom(0, 0, 0, 180, 200)
    )
    .map(([spend, under, tapscript, lead, nops]) => {
      const script = join(lead, new Uint8Array(nops).fill(97), [opcode])
      const last = lead.lastIndexOf(171)
      return {
        spend,
        version: under,
        tapscript,
        script,
        scriptCode: script.subarray(last + 1),
        separator: last < 0 ? 0xffffffff : last
      }
    })

const agreesOn = (
  stack: NaiveStack,
  { script, version: under, spend, tapscript }: SigningContext & { readonly script: Uint8Array }
): void => {
  const m = loadedMachine(stack, script, under, spend, tapscript)
  const error = faultName(evaluateScript(m))
  const state = stateAfter(stack, script, under, spend, tapscript)
  if (typeof state === "string") return agree(error, state)
  agree(error, "OK")
  agree(stackOf(m), state.stack)
  if (under === "tapscript") agree(m.weightLeft, state.tapscript.budget)
  else agree(m.opcodes, state.opcodes)
}

const checkSigAgrees = (opcode: number): void =>
  check(
    fc.property(
      contextOf(opcode).chain((context) => fc.tuple(fc.constant(context), signatureAndKey(context, KEY_PAIRS))),
      fc.integer({ min: 0, max: 3 }),
      ([context, [signature, key]], kept) =>
        agreesOn([Uint8Array.of(7), signature, key].slice(kept === 3 ? 2 : 0), context)
    ),
    200
  )

/** m signatures, mostly valid and in order, for n keys; counts mostly right. */
const multisigStack = (context: SigningContext): Arbitrary<NaiveStack> =>
  fc
    .tuple(
      fc.array(keyPair, { maxLength: 4 }),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      hashTypeByte,
      fc.array(signatureWithHashType, { maxLength: 1 }),
      fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2),
      fc.constantFrom(...[[], [], [], [0], [1]].map((bytes) => Uint8Array.from(bytes))),
      numberOperand,
      fc.nat(2)
    )
    .map(([pairs, signs, hashType, strays, disorder, dummy, count, form]) => {
      const keys = pairs.map((pair: KeyPair) => [pair.compressed, pair.uncompressed, pair.hybrid][form]!)
      const ordered = pairs
        .filter((_, i) => signs[i])
        .map((pair) =>
          validSignature(
            { ...context, version: context.version === "tapscript" ? "base" : context.version },
            pair,
            hashType
          )
        )
      const signatures = disorder === 1 ? [...ordered].reverse() : [...ordered, ...strays].slice(0, keys.length)
      const m = bytesOfNumber(BigInt(signatures.length))
      const n = bytesOfNumber(BigInt(keys.length))
      return [
        Uint8Array.of(9),
        dummy,
        ...signatures,
        disorder === 2 ? count : m,
        ...keys,
        disorder === 2 && form > 0 ? count : n
      ]
    })

const multisigAgrees = (opcode: number): void => {
  const context = contextOf(opcode, fc.constantFrom("base", "base", "witness_v0", "witness_v0", "tapscript"))
  check(
    fc.property(
      context.chain((each) => fc.tuple(fc.constant(each), multisigStack(each))),
      fc.constantFrom(0, 0, 0, 0, 1, 2, 5),
      ([each, stack], cut) => agreesOn(stack.slice(cut), each)
    ),
    200
  )
  check(
    fc.property(context, fc.integer({ min: -2, max: 23 }), fc.integer({ min: -2, max: 23 }), (each, n, m) => {
      const fill = (count: number): ReadonlyArray<Uint8Array> =>
        Array.from({ length: Math.max(0, count) }, () => new Uint8Array(0))
      agreesOn([...fill(1), ...fill(m), bytesOfNumber(BigInt(m)), ...fill(n), bytesOfNumber(BigInt(n))], each)
    }),
    150
  )
}

describe("OPC signature checks", () => {
  it("OPC-172/P1 OP_CHECKSIG: verdict and stack equal the statement in every version", () => checkSigAgrees(172))
  it("OPC-173/P1 OP_CHECKSIGVERIFY: verdict and stack equal the statement in every version", () => checkSigAgrees(173))
  it("OPC-174/P1 OP_CHECKMULTISIG: verdict, rule, opcode count and stack equal the statement", () =>
    multisigAgrees(174))
  it("OPC-175/P1 OP_CHECKMULTISIGVERIFY: verdict, rule, opcode count and stack equal the statement", () =>
    multisigAgrees(175))

  it("OPC-186/P1 OP_CHECKSIGADD: verdict and stack equal the statement", () => {
    check(
      fc.property(
        contextOf(186, fc.constantFrom("tapscript", "tapscript", "tapscript", "base", "witness_v0")).chain((context) =>
          fc.tuple(fc.constant(context), signatureAndKey(context, KEY_PAIRS))
        ),
        numberOperand,
        fc.constantFrom(0, 0, 0, 1, 2),
        ([context, [signature, key]], n, cut) => agreesOn([signature, n, key].slice(cut), context)
      ),
      200
    )
  })
})
