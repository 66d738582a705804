import { evaluateScript } from "@lockstep/kernel/internal/interpreter/evaluate.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { stackOfAny, surroundings, version } from "../../arbitraries/evaluation.ts"
import { check } from "../../check.ts"
import { join } from "../../oracles/byte-string.ts"
import { stateAfter } from "../../oracles/evaluate.ts"
import { altStackOf, faultName, loadedMachine, stackOf } from "../../subject/kernel.ts"

/** Conditionals and small pushes in any order, so that most are open, some false, some elsed twice. */
const conditionals: Arbitrary<Uint8Array> = fc
  .array(fc.constantFrom([0, 99], [81, 99], [0, 100], [81, 100], [103], [104], [103], [82], [], [107]), {
    maxLength: 8
  })
  .map((parts) => join(...parts))

/**
 * Runs conditionals and then `last`; both stacks, and the conditionals in the form that the kernel keeps them, must
 * agree.
 */
const agreesBehind = (last: ReadonlyArray<number>, runs: number): void =>
  check(
    fc.property(conditionals, stackOfAny(4), version, surroundings, (before, stack, under, spend) => {
      const script = join(before, last)
      const m = loadedMachine(stack, script, under, spend)
      const error = faultName(evaluateScript(m))
      const state = stateAfter(stack, script, under, spend)
      if (typeof state === "string") return agree(error, state)
      agree(error, state.branches.length > 0 ? "SCR-010 UNBALANCED_CONDITIONAL" : "OK")
      agree([m.conditionals, m.firstFalse], [state.branches.length, state.branches.indexOf(false)])
      agree([stackOf(m), altStackOf(m)], [state.stack, state.alt])
    }),
    runs
  )

describe("OPC flow and the alternative stack", () => {
  it("OPC-099/P1 OP_IF: verdict, stack and conditionals equal the statement", () => agreesBehind([99], 300))
  it("OPC-100/P1 OP_NOTIF: verdict, stack and conditionals equal the statement", () => agreesBehind([100], 300))
  it("OPC-103/P1 OP_ELSE: verdict and conditionals equal the statement", () => agreesBehind([103], 300))
  it("OPC-104/P1 OP_ENDIF: verdict and conditionals equal the statement", () => agreesBehind([104], 300))
  it("OPC-107/P1 OP_TOALTSTACK: verdict and both stacks equal the statement", () => agreesBehind([107], 200))
  it("OPC-108/P1 OP_FROMALTSTACK: verdict and both stacks equal the statement", () => agreesBehind([108], 200))
})
