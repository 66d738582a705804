import { assert, describe, it } from "vitest"
import { RULES } from "../../src/index.ts"
import { HANDLERS } from "../../src/interpreter/dispatch.ts"
import { op1Negate, opSmallInteger, pushData } from "../../src/interpreter/op/push.ts"
import { opUnknown, opUpgradableNop } from "../../src/interpreter/op/reserved.ts"

/** Opcodes that share the rule of another one. */
const SHARING = [[1, 78, pushData], [82, 96, opSmallInteger], [179, 185, opUpgradableNop]] as const

/** Opcodes that have a rule of their own. */
const RULED = Object.keys(RULES).filter((id) => id.startsWith("OPC-")).map((id) => Number(id.slice(4)))

describe("the table of opcodes", () => {
  it("has a handler for every byte", () => {
    assert.strictEqual(HANDLERS.length, 256)
    for (let opcode = 0; opcode <= 255; opcode++) assert.isFunction(HANDLERS[opcode])
  })

  it("gives opcodes with a rule a handler each, and no two the same", () => {
    const handlers = RULED.map((opcode) => HANDLERS[opcode])
    assert.isFalse(handlers.includes(opUnknown))
    assert.strictEqual(new Set(handlers).size, RULED.length)
  })

  it.each(SHARING)("gives %i to %i the one they share", (first, last, handler) => {
    for (let opcode = first; opcode <= last; opcode++) assert.strictEqual(HANDLERS[opcode], handler)
  })

  it("has no meaning for any other byte", () => {
    const shared = (opcode: number): boolean => SHARING.some(([first, last]) => opcode >= first && opcode <= last)
    for (let opcode = 0; opcode <= 255; opcode++) {
      if (!RULED.includes(opcode) && !shared(opcode)) {
        assert.strictEqual(HANDLERS[opcode], opUnknown, `opcode ${opcode}`)
      }
    }
  })

  it("keeps −1 apart from the small integers", () => {
    assert.strictEqual(HANDLERS[79], op1Negate)
    assert.strictEqual(HANDLERS[80], opUnknown)
    assert.strictEqual(HANDLERS[81], opSmallInteger)
  })
})
