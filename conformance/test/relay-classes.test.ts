import { relayRejectionClass } from "@lockstep/protocol/rejection/relay-class.ts"
import { assert, describe, it } from "vitest"
import type { RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import { readSpec } from "../src/trace/spec.ts"
import { WORKSPACE } from "../src/workspace.ts"

const judgements = [...readSpec(WORKSPACE).rules.values()].filter(({ file, kind }) =>
  file.startsWith("spec/policy/") && file !== "spec/policy/script.md" && kind === "judgement"
)

describe("the class of a rule of relay", () => {
  it.each(judgements.map(({ block, id }) => [id, block["class"]]))(
    "of %s is %s, as its statement says",
    (id, stated) => {
      assert.strictEqual(relayRejectionClass(id as RuleId), stated)
    }
  )

  it.each(judgements.map(({ id, reject }) => [id, reject]))("%s has a reason", (_id, reject) => {
    assert.notStrictEqual(reject, "")
  })
})
