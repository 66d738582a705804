import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { createMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import * as forms from "@lockstep/kernel/internal/relay/input-forms.ts"
import type { OutputType } from "@lockstep/kernel/internal/relay/output-type.ts"
import * as limits from "@lockstep/kernel/internal/relay/witness-limits.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { stackOfAny } from "../../arbitraries/evaluation.ts"
import { doubtfulOutputScript, limitedWitness, pushingSpend, relayedTransaction } from "../../arbitraries/relay.ts"
import { anyScript } from "../../arbitraries/script.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/relay.ts"
import { sigOps } from "../../oracles/sigops.ts"
import { witnessProgram } from "../../oracles/witness.ts"
import { kernelTransaction, stackOf, verdictName } from "../../subject/kernel.ts"

const says = (verdict: Verdict<unknown>, holds: boolean, rule: string): void =>
  agree(verdictName(verdict), holds ? "OK" : rule)

const machine = createMachine(nobleCrypto)
const type = doubtfulOutputScript.map((script) => oracle.outputType(script) as OutputType)
const index = fc.nat(5)

describe("POL standard inputs", () => {
  it("POL-050/P1 the value equals the statement", () => {
    const spends = fc.oneof(
      pushingSpend,
      fc.tuple(relayedTransaction, fc.array(anyScript, { minLength: 3, maxLength: 3 })).map(([tx, scripts]) =>
        [tx, tx.inputs.map((_, i) => ({ value: 0n, script: scripts[i]! }))] as const
      )
    )
    check(
      fc.property(
        spends,
        ([tx, spent]) => agree(forms.inputSigOps(kernelTransaction(tx), spent), oracle.inputSigOps(tx, spent))
      ),
      600
    )
  })

  it("POL-051/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.oneof(fc.integer({ min: 2_498, max: 2_502 }), fc.nat(5_000)), (count) =>
        says(forms.inputSigOpsAreFew(count), count <= 2_500, "POL-051"))
    ))

  it("POL-052/P1 the verdict equals the statement", () =>
    check(
      fc.property(
        type,
        index,
        (each, i) => says(forms.spentFormIsKnown(each, i), each.kind !== "nonstandard", "POL-052")
      )
    ))

  it("POL-053/P1 the verdict equals the statement", () =>
    check(
      fc.property(type, index, (each, i) =>
        says(forms.spentProgramIsDefined(each, i), each.kind !== "witness_unknown", "POL-053"))
    ))

  it("POL-054/P1 the verdict equals the statement", () =>
    check(
      fc.property(pushingSpend, index, ([tx], i) => {
        const { script } = tx.inputs[0]!
        const stack = oracle.pushed(script)
        says(forms.redeemingScriptSigRuns(machine, script, i), stack !== undefined, "POL-054")
        if (stack !== undefined) agree(stackOf(machine), stack)
      }),
      400
    ))

  it("POL-055/P1 the verdict equals the statement", () =>
    check(
      fc.property(stackOfAny(), index, (stack, i) => {
        stack.forEach((element, at) => machine.stack[at] = element)
        machine.depth = stack.length
        const verdict = forms.redeemScriptIsPresent(machine, i)
        says(verdict, stack.length > 0, "POL-055")
        if (verdict._tag === "Success") agree(verdict.success, stack.at(-1))
      })
    ))

  it("POL-056/P1 the verdict equals the statement", () =>
    check(
      fc.property(
        fc.oneof(anyScript, fc.nat(20).map((count) => new Uint8Array(count).fill(0xac))),
        index,
        (script, i) => says(forms.redeemSigOpsAreFew(script, i), sigOps(script, true) <= 15, "POL-056")
      ),
      300
    ))

  it("POL-057/P1 the verdict is that of the first rule that does not hold", () =>
    check(
      fc.property(pushingSpend, ([tx, spent]) => {
        const wanted = oracle.firstBroken(oracle.inputFormRules(tx, spent))
        agree(verdictName(forms.checkInputForms(machine, kernelTransaction(tx), spent)), wanted)
      }),
      1_000
    ))

  it("POL-060/P1 the verdict equals the statement", () =>
    check(
      fc.property(doubtfulOutputScript, fc.oneof(fc.constant([]), limitedWitness), (script, witness) => {
        const holds = witness.length === 0 || oracle.outputType(script).kind !== "anchor"
        says(limits.anchorHasNoWitness(script, witness), holds, "POL-060")
      }),
      500
    ))

  it("POL-061/P1 the verdict equals the statement", () =>
    check(
      fc.property(doubtfulOutputScript, (script) => {
        const program = witnessProgram(script)
        const verdict = limits.witnessHasProgram(program)
        says(verdict, program !== undefined, "POL-061")
        if (verdict._tag === "Success") agree(verdict.success, program)
      })
    ))

  it("POL-062/P1 the verdict equals the statement", () =>
    check(
      fc.property(limitedWitness, (witness) =>
        says(limits.scriptHashWitnessIsSmall(witness), oracle.scriptHashWitnessIsSmall(witness), "POL-062")),
      500
    ))

  it("POL-063/P1 the verdict equals the statement", () =>
    check(
      fc.property(
        limitedWitness,
        (witness) => says(limits.annexIsAbsent(witness), !oracle.hasAnnex(witness), "POL-063")
      ),
      400
    ))

  it("POL-064/P1 the verdict equals the statement", () =>
    check(
      fc.property(limitedWitness, (witness) =>
        says(limits.tapscriptWitnessIsSmall(witness), oracle.scriptPathIsSmall(witness), "POL-064")),
      500
    ))

  it("POL-065/P1 the verdict is that of the first rule that does not hold", () =>
    check(
      fc.property(pushingSpend, ([tx, spent]) => {
        const wanted = oracle.firstBroken(oracle.witnessRules(tx, spent))
        agree(verdictName(limits.checkWitnessLimits(machine, kernelTransaction(tx), spent)), wanted)
      }),
      1_000
    ))

  it("POL-066/P1 the value equals the statement", () =>
    check(
      fc.property(pushingSpend, ([tx, spent]) => {
        const wanted = tx.inputs.some(({ script }, i) => {
          const { kind } = oracle.outputType(spent[i]!.script)
          const inside = kind === "scripthash" ? oracle.pushed(script)?.at(-1) : spent[i]!.script
          return kind !== "anchor" && inside !== undefined && witnessProgram(inside) !== undefined
        })
        agree(limits.spendsWitnessProgram(machine, kernelTransaction(tx), spent), wanted)
      }),
      500
    ))
})
