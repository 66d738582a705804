import type { RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import { rejectionClass } from "@lockstep/protocol/rejection/rejection-class.ts"
import { assert, describe, it } from "vitest"
import { readSpec } from "../src/trace/spec.ts"
import { WORKSPACE } from "../src/workspace.ts"

/** A breach of these says something about this node, so no peer is ever told of it. */
const LOCAL = "local"

describe("the classes of rejections", () => {
  // Those of relay policy have classes of their own: relay-classes.test.ts.
  const rules = [...readSpec(WORKSPACE).rules.values()].filter(({ file }) => !file.startsWith("spec/policy/"))

  it("are those that the specification states", () => {
    for (const { block, id } of rules) {
      if (block["class"] === undefined || block["class"] === LOCAL) continue
      assert.strictEqual(rejectionClass(id as RuleId), block["class"], id)
    }
  })

  it("are stated for every judgement of a header, a block or its coins", () => {
    const silent = rules.filter(({ block, id, kind }) =>
      kind === "judgement" && /^(WRK|HDR|BLK|TXI|UTX)/.test(id) && block["class"] === undefined
    )
    assert.deepEqual(silent.map(({ id }) => id), [])
  })
})
