import { RULES, type RuleId } from "@lockstep/kernel/generated/rule-ids.ts"
import { SCRIPT_ERROR_NAMES } from "@lockstep/kernel/script/script-error.ts"
import { violation } from "@lockstep/kernel/verdict.ts"
import { assert, describe, it } from "vitest"
import { rejectionOf } from "../src/rejection/rejection.ts"
import { rejectionClass } from "../src/rejection/rejection-class.ts"
import { SCRIPT_ERROR_TEXTS } from "../src/rejection/script-error-text.ts"

const WITH_REASON = (Object.keys(RULES) as ReadonlyArray<RuleId>).filter((id) => RULES[id].reject !== "")

describe("rejections", () => {
  it.each(WITH_REASON.filter((id) => id !== "HDR-005"))("%s is refused with the reason its rule states", (id) => {
    assert.strictEqual(rejectionOf(violation(id, null)).reason, RULES[id].reject)
  })

  it("an old version is shown as eight digits, a negative one in two's complement", () => {
    assert.strictEqual(rejectionOf(violation("HDR-005", { version: 3 })).reason, "bad-version(0x00000003)")
    assert.strictEqual(rejectionOf(violation("HDR-005", { version: -1 })).reason, "bad-version(0xffffffff)")
  })

  it("a script that fails is refused with the words of its error, whatever rule it breaks", () => {
    const { reason, what } = rejectionOf(violation("OPC-104", { error: "UNBALANCED_CONDITIONAL" }))
    assert.strictEqual(reason, "block-script-verify-flag-failed (Invalid OP_IF construction)")
    assert.strictEqual(what, "invalid")
  })

  it("every script error has words of its own", () => {
    assert.deepStrictEqual(Object.keys(SCRIPT_ERROR_TEXTS).toSorted(), SCRIPT_ERROR_NAMES.toSorted())
    assert.strictEqual(new Set(Object.values(SCRIPT_ERROR_TEXTS)).size, SCRIPT_ERROR_NAMES.length)
  })

  it.each(["BLK-002", "BLK-003", "BLK-011", "BLK-012", "BLK-013"] as const)("%s says nothing about the header", (id) => {
    assert.strictEqual(rejectionClass(id), "mutated")
  })

  it("only a header from the future may be right later", () => {
    assert.deepStrictEqual(WITH_REASON.filter((id) => rejectionClass(id) === "too far in the future"), ["HDR-004"])
  })
})
