import { encodeScriptNumber, isTrue, scriptNumber } from "@lockstep/kernel/internal/interpreter/script-number.ts"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { edgeBytes } from "../../arbitraries/bytes.ts"
import { numberOperand, scriptInteger } from "../../arbitraries/number.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/script-number.ts"

const encodable = scriptInteger.filter((n) => n > -(1n << 39n) && n < 1n << 39n)

describe("SCR script numbers", () => {
  it("SCR-007/P1 verdict and number equal the statement", () => {
    check(
      fc.property(numberOperand, fc.nat(5), (bytes, maxSize) => {
        const expected = oracle.operand(bytes, maxSize, false)
        const actual = scriptNumber(bytes, maxSize)
        // NaN stands for the fault; + 0 makes no difference between the zeros.
        agree(Number.isNaN(actual) ? "SCR-007 SCRIPTNUM" : BigInt(actual + 0), expected)
      }),
      1000
    )
  })

  it("SCR-007/P2 what is encoded is read back", () => {
    check(
      fc.property(encodable, (n) => agree(BigInt(scriptNumber(encodeScriptNumber(Number(n)), 5)), n)),
      500
    )
  })

  it("SCR-008/P1 the bytes equal the statement", () => {
    check(
      fc.property(encodable, (n) => agree(encodeScriptNumber(Number(n)), oracle.bytesOfNumber(n))),
      500
    )
  })

  it("SCR-008/P2 no other byte string of the same number is as short", () => {
    check(
      fc.property(
        numberOperand.filter((bytes) => bytes.length <= 5),
        (bytes) => {
          const shortest = encodeScriptNumber(Number(oracle.numberOf(bytes)))
          const same = Buffer.compare(bytes, shortest) === 0
          assert(same || bytes.length > shortest.length)
        }
      ),
      500
    )
  })

  it("SCR-009/P1 the value equals the statement", () => {
    check(
      fc.property(fc.oneof(numberOperand, edgeBytes()), (bytes) => {
        const statement = bytes.some((byte, i) => byte !== 0 && !(i === bytes.length - 1 && byte === 0x80))
        agree(isTrue(bytes), statement)
      }),
      500
    )
  })

  it("SCR-009/P2 up to four bytes, true is a number other than zero", () => {
    check(
      fc.property(
        numberOperand.filter((bytes) => bytes.length <= 4),
        (bytes) => agree(isTrue(bytes), scriptNumber(bytes, 4) !== 0)
      ),
      500
    )
  })
})
