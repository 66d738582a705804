import { conditionalsAreBalanced } from "@lockstep/kernel/internal/interpreter/op/flow.ts"
import { evaluateScript } from "@lockstep/kernel/internal/interpreter/evaluate.ts"
import { payToScriptHash } from "@lockstep/kernel/internal/interpreter/pay-to-script-hash.ts"
import { finalStackIsTrue } from "@lockstep/kernel/internal/interpreter/verify-script.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { stackOfAny, surroundings, tapscriptContext, version } from "../../arbitraries/evaluation.ts"
import { anyScript, instruction } from "../../arbitraries/script.ts"
import { validScript } from "../../arbitraries/valid-script.ts"
import { check } from "../../check.ts"
import { join } from "../../oracles/byte-string.ts"
import { evaluate, stateAfter } from "../../oracles/evaluate.ts"
import { instructionsOf } from "../../oracles/instructions.ts"
import { truth } from "../../oracles/script-number.ts"
import { DISABLED } from "../../oracles/stack-functions.ts"
import { faultName, kernelEvaluation, loadedMachine, stackOf } from "../../subject/kernel.ts"

/** Scripts around the four limits: instructions repeated about as often as the limit allows. */
const limitScript = fc
  .tuple(
    fc.constantFrom([97], [81], [0, 99], [110], [111], [118], [107], [81, 107], [0, 117], [176]),
    fc.constantFrom(50, 99, 100, 198, 200, 201, 202, 333, 500, 999, 1000, 1001),
    fc.boolean()
  )
  .map(([part, times, asBranch]) => {
    const body = join(...Array.from({ length: times }, () => part))
    return asBranch ? join([0, 99], body, [104, 81]) : body
  })
const sizedScript = fc
  .constantFrom(9_999, 10_000, 10_001)
  .map((size) =>
    join(
      [81],
      ...Array.from({ length: 20 }, () => join([77, 0xf0, 1], new Uint8Array(496))),
      [77, 11, 0],
      new Uint8Array(11),
      new Uint8Array(size).fill(81)
    ).subarray(0, size)
  )
const bigPush = fc
  .tuple(fc.constantFrom(519, 520, 521), fc.boolean())
  .map(([size, taken]) => join([taken ? 81 : 0, 99, 77, size & 255, size >> 8], new Uint8Array(size), [104]))

describe("SCR evaluation", () => {
  it("SCR-010/P1 the verdict equals the statement", () => {
    check(
      fc.property(fc.array(fc.constantFrom(99, 100, 103, 104), { maxLength: 10 }), surroundings, (opcodes, spend) => {
        const script = join(...opcodes.map((opcode) => (opcode < 103 ? [81, opcode] : [opcode])))
        const state = stateAfter([], script, "base", spend)
        const m = loadedMachine([], script, "base", spend)
        evaluateScript(m)
        if (typeof state === "string") return
        agree(
          faultName(conditionalsAreBalanced(m)),
          state.branches.length > 0 ? "SCR-010 UNBALANCED_CONDITIONAL" : "OK"
        )
      }),
      400
    )
  })

  it("SCR-011/P1 the verdict equals the statement", () => {
    check(
      fc.property(stackOfAny(3), surroundings, (stack, spend) => {
        const m = loadedMachine(stack, new Uint8Array(0), "base", spend)
        agree(faultName(finalStackIsTrue(m)), stack.length > 0 && truth(stack.at(-1)!) ? "OK" : "SCR-011 EVAL_FALSE")
      })
    )
  })

  it("SCR-012/P1 an opcode without a meaning fails where it is executed, two even where it is not", () => {
    check(
      fc.property(
        fc.integer({ min: 79, max: 255 }),
        version,
        stackOfAny(3),
        surroundings,
        (opcode, under, stack, spend) => {
          const unknown = [80, 98, 101, 102, 137, 138].includes(opcode) || opcode >= 187 ||
            (opcode === 186 && under !== "tapscript")
          const failsHere = (script: ReadonlyArray<number>): boolean =>
            kernelEvaluation(stack, Uint8Array.from(script), under, spend).error === "SCR-012 BAD_OPCODE"
          agree(failsHere([opcode]), unknown)
          agree(failsHere([0, 99, opcode, 104]), opcode === 101 || opcode === 102)
        }
      ),
      600
    )
  })

  it("SCR-013/P1 verdict, rule and final stack equal the statement", () => {
    const scripts = fc.oneof(
      { weight: 8, arbitrary: anyScript },
      { weight: 2, arbitrary: limitScript },
      { weight: 1, arbitrary: sizedScript },
      { weight: 1, arbitrary: bigPush }
    )
    check(
      fc.property(
        stackOfAny(),
        scripts,
        version,
        surroundings,
        tapscriptContext,
        (stack, script, under, spend, tapscript) =>
          agree(
            kernelEvaluation(stack, script, under, spend, tapscript),
            evaluate(stack, script, under, spend, tapscript)
          )
      ),
      1000
    )
  })

  it("SCR-013/P1 a script built to hold holds, and leaves one true element", () => {
    check(
      fc.property(validScript, version, surroundings, (script, under, spend) => {
        const result = kernelEvaluation([], script, under, {
          ...spend,
          flags: new Set([...spend.flags].filter((flag) => flag !== "DISCOURAGE_UPGRADABLE_NOPS"))
        })
        agree([result.error, result.stack.length, result.stack.map(truth)], ["OK", 1, [true]])
      }),
      150
    )
  })

  it("SCR-013/P2 a branch that is not taken does nothing", () => {
    check(
      fc.property(
        stackOfAny(4),
        fc.array(instruction, { maxLength: 8 }),
        version,
        surroundings,
        (stack, parts, under, spend) => {
          const body = join(
            ...parts.filter((part) =>
              instructionsOf(part).instructions.every(
                ({ opcode, data }) => (opcode < 99 || opcode > 104) && !DISABLED.includes(opcode) && data.length <= 520
              )
            )
          )
          const flags = new Set([...spend.flags].filter((flag) => flag !== "CONST_SCRIPTCODE"))
          agree(kernelEvaluation(stack, join([0, 99], body, [104]), under, { ...spend, flags }), { error: "OK", stack })
        }
      ),
      300
    )
  })

  it("SCR-022/P1 verdict, rule and stack are those of the top as script on the rest", () => {
    check(
      fc.property(stackOfAny(4), anyScript, surroundings, (stack, script, spend) => {
        const m = loadedMachine([...stack, script], new Uint8Array(0), "base", spend)
        const error = faultName(payToScriptHash(m))
        agree({ error, stack: error === "OK" ? stackOf(m) : [] }, evaluate(stack, script, "base", spend))
      }),
      400
    )
  })
})
