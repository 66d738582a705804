import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { edgeBytes } from "../../arbitraries/bytes.ts"
import { smallScriptInteger } from "../../arbitraries/number.ts"
import { check } from "../../check.ts"
import { bytesOfNumber } from "../../oracles/script-number.ts"
import type { NaiveSpend } from "../../oracles/spend.ts"
import { kernelEvaluation } from "../../subject/kernel.ts"

const PLAIN: NaiveSpend = {
  tx: {
    version: 1,
    inputs: [{ txid: new Uint8Array(32), vout: 0, script: new Uint8Array(0), sequence: 0, witness: [] }],
    outputs: [],
    lockTime: 0
  },
  index: 0,
  spent: [{ value: 0n, script: new Uint8Array(0) }],
  flags: new Set()
}

const after = (stack: ReadonlyArray<Uint8Array>, ...script: ReadonlyArray<number>): unknown =>
  kernelEvaluation(stack, Uint8Array.from(script), "base", PLAIN)

const deep = (minLength: number) => fc.array(edgeBytes(80), { minLength, maxLength: minLength + 3 })

describe("OPC identities between opcodes", () => {
  it("OPC-108/P2 to the alternative stack and back changes nothing", () => {
    check(fc.property(deep(1), (stack) => agree(after(stack, 107, 108), after(stack))))
  })

  it("OPC-113/P2 OP_2ROT three times changes nothing", () => {
    check(fc.property(deep(6), (stack) => agree(after(stack, 113, 113, 113), after(stack))))
  })

  it("OPC-121/P2 picking 0 is OP_DUP, picking 1 is OP_OVER", () => {
    check(
      fc.property(deep(2), (stack) => {
        agree(after(stack, 0, 121), after(stack, 118))
        agree(after(stack, 81, 121), after(stack, 120))
      })
    )
  })

  it("OPC-122/P2 rolling 0 changes nothing, 1 is OP_SWAP, 2 is OP_ROT", () => {
    check(
      fc.property(deep(3), (stack) => {
        agree(after(stack, 0, 122), after(stack))
        agree(after(stack, 81, 122), after(stack, 124))
        agree(after(stack, 82, 122), after(stack, 123))
      })
    )
  })

  it("OPC-124/P2 OP_SWAP twice changes nothing", () => {
    check(fc.property(deep(2), (stack) => agree(after(stack, 124, 124), after(stack))))
  })

  it("OPC-125/P2 OP_TUCK is OP_SWAP OP_OVER", () => {
    check(fc.property(deep(2), (stack) => agree(after(stack, 125), after(stack, 124, 120))))
  })

  it("OPC-143/P2 negating twice gives the shortest encoding", () => {
    check(
      fc.property(smallScriptInteger, (n) => {
        const shortest = bytesOfNumber(n)
        const padded = shortest.length === 4
          ? shortest
          : Uint8Array.of(...shortest.subarray(0, -1), (shortest.at(-1) ?? 0) & 0x7f, (shortest.at(-1) ?? 0) & 0x80)
        agree(after([shortest], 143, 143), after([shortest]))
        agree(after([padded], 143, 143), after([shortest]))
      })
    )
  })

  it("OPC-169/P2 OP_HASH160 is OP_SHA256 OP_RIPEMD160", () => {
    check(fc.property(deep(1), (stack) => agree(after(stack, 169), after(stack, 168, 166))))
  })

  it("OPC-170/P2 OP_HASH256 is OP_SHA256 twice", () => {
    check(fc.property(deep(1), (stack) => agree(after(stack, 170), after(stack, 168, 168))))
  })
})
