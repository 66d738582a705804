import { assert, describe, it } from "@effect/vitest"
import { waitingClock } from "../../../src/p2p/waiting-clock.ts"

const clock = (start: number) => {
  const at = { machine: start, set: 0 }
  return { at, now: waitingClock(() => at.machine, () => at.set) }
}

describe("the clock that waiting goes by", () => {
  it("is the machine's, and goes forward with the one that is set", () => {
    const { at, now } = clock(1_000_000)
    assert.strictEqual(now(), 1_000_000)
    at.set = 500
    assert.strictEqual(now(), 1_000_000, "set to the past")
    at.set = 620
    assert.strictEqual(now(), 1_120_000)
    at.machine += 7
    assert.strictEqual(now(), 1_120_007)
    at.set = 600
    assert.strictEqual(now(), 1_120_007, "it never goes back")
    at.set = 601
    assert.strictEqual(now(), 1_121_007)
    at.set = 0
    assert.strictEqual(now(), 1_121_007)
    at.set = 1_003
    assert.strictEqual(now(), 1_121_007 + 2_993, "ahead of the machine's own")
  })
})
