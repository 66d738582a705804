import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { stackOfAny, surroundings, version } from "../../arbitraries/evaluation.ts"
import { edgeUint32, numberOperand, scriptInteger } from "../../arbitraries/number.ts"
import { check } from "../../check.ts"
import { evaluate } from "../../oracles/evaluate.ts"
import { bytesOfNumber } from "../../oracles/script-number.ts"
import type { NaiveSpend } from "../../oracles/spend.ts"
import { kernelEvaluation } from "../../subject/kernel.ts"

/** An operand near what the transaction says, or any. */
const operandFor = (spend: NaiveSpend) => {
  const own = [spend.tx.lockTime, spend.tx.inputs[spend.index]!.sequence]
  const near = fc
    .tuple(fc.constantFrom(...own), fc.integer({ min: -2, max: 2 }))
    .map(([value, shift]) => bytesOfNumber(BigInt(value + shift)))
  return fc.oneof(
    { weight: 3, arbitrary: near },
    { weight: 2, arbitrary: edgeUint32.map((n) => bytesOfNumber(BigInt(n))) },
    { weight: 1, arbitrary: numberOperand }
  )
}

const situation = surroundings.chain((spend) => fc.tuple(fc.constant(spend), operandFor(spend), stackOfAny(2)))

const agrees = (opcode: number): void =>
  check(
    fc.property(situation, version, fc.boolean(), ([spend, required, below], under, hasOperand) => {
      const stack = hasOperand ? [...below, required] : below.slice(0, 1)
      const script = Uint8Array.of(opcode)
      agree(kernelEvaluation(stack, script, under, spend), evaluate(stack, script, under, spend))
    }),
    500
  )

describe("OPC lock times", () => {
  it("OPC-177/P1 OP_CHECKLOCKTIMEVERIFY: verdict equals the statement, the stack stays", () => agrees(177))
  it("OPC-178/P1 OP_CHECKSEQUENCEVERIFY: verdict equals the statement, the stack stays", () => agrees(178))

  it("OPC-177/P2 what holds for an operand holds for a smaller one of the same kind", () => {
    check(
      fc.property(surroundings, scriptInteger, scriptInteger, (spend, a, b) => {
        const [smaller, larger] = a < b ? [a, b] : [b, a]
        if (smaller < 0n || smaller < 500_000_000n !== larger < 500_000_000n) return
        const holds = (n: bigint): boolean =>
          kernelEvaluation([bytesOfNumber(n)], Uint8Array.of(177), "base", {
            ...spend,
            flags: new Set(["CHECKLOCKTIMEVERIFY"])
          })
            .error === "OK"
        if (holds(larger)) agree(holds(smaller), true)
      }),
      400
    )
  })
})
