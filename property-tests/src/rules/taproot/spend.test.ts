import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { createMachine, resetMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import { verifyScriptPath } from "@lockstep/kernel/internal/interpreter/verify-script-path.ts"
import { checkTaprootSignature } from "@lockstep/kernel/internal/taproot/signature.ts"
import { checkTapscriptSignature } from "@lockstep/kernel/internal/taproot/tapscript-signature.ts"
import { verifyTaproot } from "@lockstep/kernel/internal/interpreter/verify-taproot.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { mutated } from "../../arbitraries/bytes.ts"
import { type SigningContext, signatureAndKey } from "../../arbitraries/checked-signature.ts"
import { stackOfAny, surroundings, tapscriptContext } from "../../arbitraries/evaluation.ts"
import { flagSet } from "../../arbitraries/flags.ts"
import { edgeUint32 } from "../../arbitraries/number.ts"
import { KEY_PAIRS } from "../../arbitraries/signer.ts"
import { signedSpend } from "../../arbitraries/spend.ts"
import { revealedLeaf } from "../../arbitraries/taproot.ts"
import { filled, type SpendFrame, spendFrame } from "../../arbitraries/transaction.ts"
import { check } from "../../check.ts"
import { checkSignature, schnorrError } from "../../oracles/check-signature.ts"
import { join } from "../../oracles/byte-string.ts"
import { initialState } from "../../oracles/evaluate.ts"
import * as oracle from "../../oracles/witness.ts"
import { faultName, kernelSpend, loadedMachine } from "../../subject/kernel.ts"

const EMPTY = new Uint8Array(0)

const context: Arbitrary<SigningContext> = fc
  .tuple(surroundings, tapscriptContext, fc.oneof(fc.constant(0xffffffff), edgeUint32))
  .map(([spend, tapscript, separator]) => ({ spend, version: "tapscript", scriptCode: EMPTY, tapscript, separator }))

const checked = context.chain((each) => fc.tuple(fc.constant(each), signatureAndKey(each, KEY_PAIRS)))

const machineFor = ({ spend, tapscript, separator }: SigningContext) => {
  const m = loadedMachine([], EMPTY, "tapscript", spend, tapscript)
  m.separatorInstruction = separator
  return m
}

/** Script paths of any leaf, with any items before it, an annex or not, and sometimes one part damaged. */
const leafSpend: Arbitrary<SpendFrame> = fc
  .tuple(spendFrame, revealedLeaf, stackOfAny(4), fc.boolean(), fc.constantFrom("", "", "script", "control"))
  .chain(([frame, leaf, items, annexed, damaged]) => {
    const part = (name: string, bytes: Uint8Array): Arbitrary<Uint8Array> =>
      name === damaged ? mutated(fc.constant(bytes)) : fc.constant(bytes)
    return fc
      .tuple(part("script", leaf.script), part("control", leaf.control))
      .map(([script, control]) =>
        filled(frame, EMPTY, join([0x51, 32], leaf.program), [
          ...items,
          script,
          control,
          ...(annexed ? [Uint8Array.of(0x50)] : [])
        ])
      )
  })

const taprootSpend: Arbitrary<SpendFrame> = fc.oneof(
  { weight: 3, arbitrary: leafSpend },
  { weight: 2, arbitrary: signedSpend(["P2TR-key", "P2TR-script", "P2TR-add"]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(signedSpend(["P2TR-key", "P2TR-script"]), fc.nat(4))
      .map(([frame, kept]) =>
        filled(frame, EMPTY, frame.spent[frame.index]!.script, frame.tx.inputs[frame.index]!.witness.slice(kept))
      )
  }
)

describe("TAP taproot spends", () => {
  it("TAP-003/P1 the verdict equals the statement", () => {
    check(
      fc.property(checked, ([each, [signature, key]]) => {
        if (key.length !== 32) return
        const extension = { leafHash: each.tapscript.leafHash, separator: each.separator }
        const expected = schnorrError(each.spend, signature, key, each.tapscript.annex, extension) ?? "OK"
        agree(faultName(checkTaprootSignature(machineFor(each), signature, key)), expected)
      }),
      200
    )
  })

  it("TAP-015/P1 the verdict equals the statement", () => {
    check(
      fc.property(checked, fc.boolean(), ([each, [signature, key]], empty) => {
        const m = machineFor(each)
        const given = empty ? EMPTY : signature
        const state = { ...initialState([], EMPTY, "tapscript", each.spend, each.tapscript), separator: each.separator }
        const expected = checkSignature(state, given, key)
        agree(faultName(checkTapscriptSignature(m, given, key)), typeof expected === "string" ? expected : "OK")
        if (typeof expected !== "string") agree(m.weightLeft, expected.tapscript.budget)
      }),
      200
    )
  })

  it("TAP-016/P1 the verdict equals the statement", () => {
    const m = createMachine(nobleCrypto)
    check(
      fc.property(leafSpend, flagSet, (frame, flags) => {
        const spend = { ...frame, flags }
        const program = spend.spent[spend.index]!.script.subarray(2)
        const { witness } = spend.tx.inputs[spend.index]!
        const annex = oracle.annexOf(witness)
        const items = annex ? witness.slice(0, -1) : witness
        resetMachine(m, kernelSpend(spend))
        agree(
          faultName(verifyScriptPath(m, program, witness, items.length)),
          oracle.verifyScriptPath(spend, program, witness, items, annex)
        )
      }),
      200
    )
  })

  it("TAP-017/P1 the verdict equals the statement", () => {
    const m = createMachine(nobleCrypto)
    check(
      fc.property(taprootSpend, flagSet, (frame, flags) => {
        const spend = { ...frame, flags }
        const program = spend.spent[spend.index]!.script.subarray(2)
        const kernel = kernelSpend(spend)
        resetMachine(m, kernel)
        agree(
          faultName(verifyTaproot(m, kernel, program)),
          oracle.verifyTaproot(spend, program, spend.tx.inputs[spend.index]!.witness)
        )
      }),
      250
    )
  })
})
