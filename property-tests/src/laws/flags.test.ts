import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../agree.ts"
import { anySpend } from "../arbitraries/doubtful-spend.ts"
import { consensusFlagSet, flagSet } from "../arbitraries/flags.ts"
import { check } from "../check.ts"
import { closed } from "../oracles/spend.ts"
import { kernelVerdict } from "../subject/kernel.ts"

describe("law: flags only forbid", () => {
  it("a spend that fails does not hold under more consensus flags", () => {
    check(
      fc.property(anySpend, consensusFlagSet, consensusFlagSet, (frame, some, others) => {
        if (kernelVerdict({ ...frame, flags: some }) === "OK") return
        agree(kernelVerdict({ ...frame, flags: closed([...some, ...others]) }) === "OK", false)
      }),
      300
    )
  })

  it("a spend that holds does not fail under fewer flags, policy included", () => {
    check(
      fc.property(anySpend, flagSet, flagSet, (frame, all, kept) => {
        if (kernelVerdict({ ...frame, flags: all }) !== "OK") return
        const fewer = [...all].filter((flag) => kept.has(flag))
        const usable = closed(fewer)
        if ([...usable].every((flag) => all.has(flag))) agree(kernelVerdict({ ...frame, flags: usable }), "OK")
      }),
      300
    )
  })
})
