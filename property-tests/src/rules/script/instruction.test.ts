import { findAndDelete } from "@lockstep/kernel/internal/script/find-and-delete.ts"
import { readInstruction } from "@lockstep/kernel/internal/machine/read-instruction.ts"
import { isPushOnly } from "@lockstep/kernel/internal/script/instruction.ts"
import {
  isPayToScriptHash,
  redeemingScriptSigIsPushOnly
} from "@lockstep/kernel/internal/interpreter/pay-to-script-hash.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { mutated } from "../../arbitraries/bytes.ts"
import { surroundings } from "../../arbitraries/evaluation.ts"
import { anyScript, pushInstruction, pushOnlyScript } from "../../arbitraries/script.ts"
import { check } from "../../check.ts"
import { join } from "../../oracles/byte-string.ts"
import * as oracle from "../../oracles/find-and-delete.ts"
import * as instructions from "../../oracles/instructions.ts"
import * as verifying from "../../oracles/verify-script.ts"
import { faultName, loadedMachine } from "../../subject/kernel.ts"

/** Pushes whose declared length is beyond the end, by little or by nearly 2³². */
const cutPush = fc
  .tuple(
    fc.constantFrom([76], [76, 5], [77], [77, 1], [77, 0, 1], [78, 1, 0], [78, 255, 255, 255, 255], [78, 4, 0, 0, 0], [
      75
    ]),
    fc.uint8Array({ maxLength: 3 })
  )
  .map(([head, data]) => join(head, data))
const cutScript = fc.tuple(anyScript, cutPush).map(([script, tail]) => join(script, tail))
const script: Arbitrary<Uint8Array> = fc.oneof(anyScript, cutScript, pushOnlyScript, mutated(pushOnlyScript))

/** A needle with scripts in which it stands whole, in a push, cut, and several times in a row. */
const haystack = fc
  .tuple(
    fc.oneof(
      pushInstruction.filter((push) => push.length <= 80),
      fc.uint8Array({ maxLength: 2 })
    ),
    fc.array(fc.nat(5), { maxLength: 6 }),
    anyScript
  )
  .map(([needle, plan, other]) => {
    const parts = [
      needle,
      join(needle, needle),
      instructions.pushOf(needle),
      needle.subarray(0, needle.length >> 1),
      other.subarray(0, 9),
      Uint8Array.of(needle[0] ?? 0)
    ]
    return [join(...plan.map((choice) => parts[choice]!)), needle] as const
  })

const scriptHashLike = fc.oneof(
  fc.constant(join([169, 20], new Uint8Array(20).fill(3), [135])),
  mutated(fc.constant(join([169, 20], new Uint8Array(20).fill(3), [135]))),
  anyScript
)

describe("SCR instructions", () => {
  it("SCR-006/P1 verdict, data and next offset equal the statement", () => {
    check(
      fc.property(
        script.filter((bytes) => bytes.length > 0),
        fc.nat(),
        surroundings,
        (bytes, at, spend) => {
          const m = loadedMachine([], bytes, "base", spend)
          m.pc = at % bytes.length
          const expected = instructions.instructionAt(bytes, m.pc)
          const error = faultName(readInstruction(m))
          if (expected === undefined) return agree(error, "SCR-006 BAD_OPCODE")
          agree([error, m.opcode, m.pc], ["OK", expected.opcode, expected.end])
          if (m.opcode <= 78) agree(bytes.subarray(m.dataStart, m.dataEnd), expected.data)
        }
      ),
      500
    )
  })

  it("SCR-015/P1 the result equals the statement", () => {
    check(
      fc.property(
        haystack,
        ([whole, needle]) => agree(findAndDelete(whole, needle), oracle.findAndDelete(whole, needle).script)
      ),
      600
    )
  })

  it("SCR-015/P2 the result is shorter by whole needles, and the same where the needle occurs nowhere", () => {
    check(
      fc.property(haystack, ([whole, needle]) => {
        const left = findAndDelete(whole, needle)
        assert(needle.length === 0 ? left.length === whole.length : (whole.length - left.length) % needle.length === 0)
        if (needle.length > 0 && Buffer.from(whole).indexOf(needle) < 0) agree(left, whole)
      }),
      400
    )
  })

  it("SCR-016/P1 the value equals the statement", () => {
    check(
      fc.property(script, (bytes) => agree(isPushOnly(bytes), instructions.isPushOnly(bytes))),
      400
    )
  })

  it("SCR-016/P2 two scripts joined are push only if both are", () => {
    check(
      fc.property(
        pushOnlyScript,
        pushOnlyScript,
        (a, b) => agree(isPushOnly(join(a, b)), isPushOnly(a) && isPushOnly(b))
      )
    )
  })

  it("SCR-020/P1 the value equals the statement", () => {
    check(
      fc.property(scriptHashLike, (bytes) => agree(isPayToScriptHash(bytes), verifying.isPayToScriptHash(bytes))),
      400
    )
  })

  it("SCR-021/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        script,
        (bytes) =>
          agree(
            faultName(redeemingScriptSigIsPushOnly(bytes)),
            instructions.isPushOnly(bytes) ? "OK" : "SCR-021 SIG_PUSHONLY"
          )
      ),
      400
    )
  })
})
