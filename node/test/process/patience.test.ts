import { assert, describe, it } from "@effect/vitest"
import { patience, slowness } from "./patience.ts"

describe("deadlines of tests", () => {
  it("are as long as on a quiet machine, or longer by what was measured, never shorter", () => {
    assert.strictEqual(slowness([0.2, 0.1]), 1)
    assert.strictEqual(slowness([1.4, 15]), 15)
    assert.strictEqual(slowness([9, 0]), 9)
    assert.strictEqual(patience(20_000, 1), 20_000)
    assert.strictEqual(patience(20_000, 15), 300_000)
  })

  it("are measured here and now", () => {
    assert.isAtLeast(slowness(), 1)
    assert.isAtLeast(patience(1_000), 1_000)
  })
})
