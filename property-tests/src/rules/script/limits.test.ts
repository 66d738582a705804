import {
  opcodeCount,
  opcodeIsEnabled,
  pushSize,
  scriptSize,
  stackSize
} from "@lockstep/kernel/internal/machine/limits.ts"
import { SigVersion } from "@lockstep/kernel/internal/machine/machine.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { check } from "../../check.ts"
import { faultName } from "../../subject/kernel.ts"

const near = (limit: number) =>
  fc.oneof(fc.integer({ min: limit - 3, max: limit + 3 }), fc.nat(2 * limit), fc.maxSafeNat())

describe("SCR limits", () => {
  it("SCR-001/P1 the verdict equals the statement", () => {
    const sizes = fc.oneof(fc.integer({ min: 9_997, max: 10_003 }), fc.nat(30_000))
    check(
      fc.property(sizes, fc.constantFrom(...Object.values(SigVersion)), (size, version) => {
        const limited = version === SigVersion.BASE || version === SigVersion.WITNESS_V0
        agree(
          faultName(scriptSize(new Uint8Array(size), version)),
          limited && size > 10_000 ? "SCR-001 SCRIPT_SIZE" : "OK"
        )
      })
    )
  })

  it("SCR-002/P1 the verdict equals the statement", () => {
    check(
      fc.property(near(520), (length) => agree(faultName(pushSize(length)), length > 520 ? "SCR-002 PUSH_SIZE" : "OK"))
    )
  })

  it("SCR-003/P1 the verdict equals the statement", () => {
    check(
      fc.property(near(201), (count) => agree(faultName(opcodeCount(count)), count > 201 ? "SCR-003 OP_COUNT" : "OK"))
    )
  })

  it("SCR-004/P1 the verdict equals the statement", () => {
    const depths = fc.oneof(
      fc
        .tuple(fc.nat(1000), fc.integer({ min: -2, max: 2 }))
        .map(([depth, over]) => [depth, Math.max(0, 1000 - depth + over)] as const),
      fc.tuple(fc.nat(2000), fc.nat(2000))
    )
    check(
      fc.property(
        depths,
        ([depth, alt]) => agree(faultName(stackSize(depth, alt)), depth + alt > 1000 ? "SCR-004 STACK_SIZE" : "OK")
      )
    )
  })

  it("SCR-005/P1 the verdict equals the statement, for all opcodes", () => {
    const disabled = [
      "CAT SUBSTR LEFT RIGHT",
      126,
      127,
      128,
      129,
      "INVERT AND OR XOR",
      131,
      132,
      133,
      134,
      "2MUL 2DIV",
      141,
      142,
      "MUL DIV MOD LSHIFT RSHIFT",
      149,
      150,
      151,
      152,
      153
    ]
    for (let opcode = 0; opcode < 256; opcode++) {
      agree(faultName(opcodeIsEnabled(opcode)), disabled.includes(opcode) ? "SCR-005 DISABLED_OPCODE" : "OK")
    }
  })
})
