import { assert, describe, it } from "@effect/vitest"
import { outcomeOf, report } from "./outcome.ts"

const OUTPUT = [
  "rpc_one passed 3.0 s",
  "rpc_two failed 3.0 s  AssertionError: x",
  "p2p_three failed: no end in 60 s 60.1 s",
  "feature_four passed 1.0 s",
  "mempool_five skipped 0.1 s",
  "2 passed, 2 failed, 1 skipped"
].join("\n")

describe("a run of functional tests", () => {
  it("is judged by the list of those that do not pass", () => {
    const outcome = outcomeOf(OUTPUT, { p2p_three: "a reason", feature_four: "another" })
    assert.deepStrictEqual(outcome, {
      passed: 2,
      listed: ["p2p_three"],
      unexpected: ["rpc_two"],
      better: ["feature_four"]
    })
    assert.deepStrictEqual(report(outcome), [
      "2 passed, 1 failed as listed, 1 failed",
      "rpc_two fails and is not in not-passing.ts",
      "feature_four passes: take it out of not-passing.ts"
    ])
  })
})
