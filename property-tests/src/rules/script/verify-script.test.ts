import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { createMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { consensusFlagSet, flagSet } from "../../arbitraries/flags.ts"
import { anySpend } from "../../arbitraries/doubtful-spend.ts"
import { signedSpend } from "../../arbitraries/spend.ts"
import { check } from "../../check.ts"
import { closed } from "../../oracles/spend.ts"
import { verifyScript } from "../../oracles/verify-script.ts"
import { kernelVerdict } from "../../subject/kernel.ts"

describe("SCR script verification", () => {
  it("SCR-014/P1 verdict, rule and error equal the statement", () => {
    check(
      fc.property(anySpend, flagSet, (frame, flags) => {
        const spend = { ...frame, flags }
        agree(kernelVerdict(spend), verifyScript(spend))
      }),
      600
    )
  })

  it("SCR-014/P2 what fails under some consensus flags fails under more", () => {
    check(
      fc.property(anySpend, consensusFlagSet, consensusFlagSet, (frame, some, others) => {
        if (kernelVerdict({ ...frame, flags: some }) === "OK") return
        agree(kernelVerdict({ ...frame, flags: closed([...some, ...others]) }) === "OK", false)
      }),
      300
    )
  })

  it("SCR-014/P3 a used machine judges as a fresh one", () => {
    const used = createMachine(nobleCrypto)
    check(
      fc.property(anySpend, flagSet, (frame, flags) => {
        const spend = { ...frame, flags }
        agree(kernelVerdict(spend, used), kernelVerdict(spend))
      }),
      300
    )
  })

  it("SCR-014/P1 holds for every kind of signed spend under every set of consensus flags", () => {
    check(
      fc.property(signedSpend(), consensusFlagSet, (frame, flags) => agree(kernelVerdict({ ...frame, flags }), "OK")),
      150
    )
  })
})
