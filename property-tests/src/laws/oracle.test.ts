import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../agree.ts"
import { anySpend } from "../arbitraries/doubtful-spend.ts"
import { stackOfAny, surroundings, tapscriptContext, version } from "../arbitraries/evaluation.ts"
import { consensusFlagSet, flagSet } from "../arbitraries/flags.ts"
import { anyScript } from "../arbitraries/script.ts"
import { check } from "../check.ts"
import { evaluate } from "../oracles/evaluate.ts"
import { verifyScript } from "../oracles/verify-script.ts"
import { kernelEvaluation, kernelVerdict } from "../subject/kernel.ts"

describe("law: the interpreter and its slow second reading agree", () => {
  it("on the rule and the error of every spend", () => {
    check(
      fc.property(anySpend, fc.oneof(consensusFlagSet, flagSet), (frame, flags) => {
        const spend = { ...frame, flags }
        agree(kernelVerdict(spend), verifyScript(spend))
      }),
      1500
    )
  })

  it("on the rule, the error and the final stack of every evaluation", () => {
    check(
      fc.property(
        stackOfAny(),
        anyScript,
        version,
        surroundings,
        tapscriptContext,
        fc.boolean(),
        (stack, script, under, spend, tapscript, bare) => {
          const judged = bare ? { ...spend, flags: new Set<string>() } : spend
          agree(
            kernelEvaluation(stack, script, under, judged, tapscript),
            evaluate(stack, script, under, judged, tapscript)
          )
        }
      ),
      1500
    )
  })
})
