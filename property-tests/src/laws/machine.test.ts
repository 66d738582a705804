import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { createMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import { verifyScript } from "@lockstep/kernel/internal/interpreter/verify-script.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../agree.ts"
import { anySpend } from "../arbitraries/doubtful-spend.ts"
import { flagSet } from "../arbitraries/flags.ts"
import { check } from "../check.ts"
import { kernelSpend, kernelVerdict } from "../subject/kernel.ts"

const spend = fc.tuple(anySpend, flagSet).map(([frame, flags]) => ({ ...frame, flags }))

describe("law: a verdict is a function of the spend", () => {
  it("one machine judges any sequence of spends as fresh machines do", () => {
    check(
      fc.property(fc.array(spend, { minLength: 2, maxLength: 6 }), (spends) => {
        const m = createMachine(nobleCrypto)
        agree(
          spends.map((each) => kernelVerdict(each, m)),
          spends.map((each) => kernelVerdict(each))
        )
      }),
      100
    )
  })

  it("judging twice gives the same, and writes to none of the bytes it was given", () => {
    check(
      fc.property(spend, (each) => {
        const kernel = kernelSpend(each)
        const before = JSON.stringify(
          kernel,
          (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)
        )
        const m = createMachine(nobleCrypto)
        const [first, second] = [verifyScript(m, kernel), verifyScript(m, kernel)]
        agree(first, second)
        agree(
          JSON.stringify(kernel, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
          before
        )
      }),
      200
    )
  })

  it("the digests computed beforehand do not change it", () => {
    check(
      fc.property(spend, (each) => {
        const kernel = kernelSpend(each)
        const m = createMachine(nobleCrypto)
        agree(verifyScript(m, kernel), verifyScript(m, { ...kernel, digests: {} }))
      }),
      200
    )
  })
})
