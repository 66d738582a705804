import { assert, describe, it } from "vitest"
import { RULES, type RuleId } from "../../src/index.ts"
import { errorOf, fault, NO_FAULT, ruleOf, violationOf } from "../../src/script/fault.ts"
import { SCRIPT_ERROR_NAMES, ScriptError } from "../../src/script/script-error.ts"

const RULE_IDS = Object.keys(RULES) as ReadonlyArray<RuleId>
const NUMBERS = Object.values(ScriptError)

describe("error names", () => {
  it("are 55, all different", () => {
    assert.strictEqual(new Set(SCRIPT_ERROR_NAMES).size, 55)
  })

  it("stand at their numbers, which fit eight bits", () => {
    SCRIPT_ERROR_NAMES.forEach((name, number) => assert.strictEqual(ScriptError[name], number))
    assert.isTrue(NUMBERS.every((number) => Number.isInteger(number) && number >= 0 && number <= 255))
  })
})

describe("a fault", () => {
  it("is a positive small integer, and names its rule and its error", () => {
    for (const rule of RULE_IDS) {
      for (const error of NUMBERS) {
        const told = fault(rule, error)
        assert.isTrue(told > 0 && told < 2 ** 30)
        assert.deepStrictEqual([ruleOf(told), errorOf(told)], [rule, SCRIPT_ERROR_NAMES[error]])
      }
    }
  })

  it("becomes a violation that is plain data", () => {
    const violation = violationOf(fault("SCR-002", ScriptError.PUSH_SIZE))
    assert.deepStrictEqual(violation, { _tag: "Violation", rule: "SCR-002", detail: { error: "PUSH_SIZE" } })
    assert.strictEqual(Object.getPrototypeOf(violation), Object.prototype)
  })

  it("that is none is OK", () => {
    assert.strictEqual(errorOf(NO_FAULT), "OK")
  })
})
