import { assert, describe, it } from "@effect/vitest"
import { type ProgressCount, rateWindow } from "../../../src/p2p/sync/blocks/rate-window.ts"

const count = (seconds: number, blocks = 0, inputs = 0, done = 0): ProgressCount => ({
  at: 1_000_000 + seconds * 1_000,
  blocks,
  inputs,
  done
})

describe("a window of rates", () => {
  it("measures from the oldest of the last ten counts, which are a second apart", () => {
    const window = rateWindow()
    for (let i = 0; i < 30; i++) window.add(count(i / 2, i * 10, i * 30, i / 100))
    // Counts of the seconds 5 to 14: that of second 5 is the oldest.
    assert.deepStrictEqual(window.until(count(15, 300, 900, 0.3)), {
      blocksPerSecond: 20,
      inputsPerSecond: 60,
      remaining: 35
    })
  })

  it("takes a count a second after the last, and none before", () => {
    const window = rateWindow()
    window.add(count(0, 100))
    window.add(count(0.999, 7))
    for (let i = 1; i <= 9; i++) window.add(count(i, 100 + i))
    assert.strictEqual(window.until(count(10, 110)).blocksPerSecond, 1, "the first one is still there")
    window.add(count(10, 110))
    assert.strictEqual(window.until(count(11, 112)).blocksPerSecond, 1.1, "eleven are one too many")
  })

  it("says nothing of the time that is left while nothing moves, and no rate below zero", () => {
    const window = rateWindow()
    assert.deepStrictEqual(window.until(count(1)), { blocksPerSecond: 0, inputsPerSecond: 0, remaining: undefined })
    window.add(count(0, 50, 50, 0.5))
    assert.deepStrictEqual(window.until(count(10, 40, 40, 0.5)), {
      blocksPerSecond: 0,
      inputsPerSecond: 0,
      remaining: undefined
    })
    assert.isUndefined(window.until(count(10, 0, 0, 0.4)).remaining)
    assert.isUndefined(window.until(count(0, 0, 0, 0.6)).remaining)
    assert.strictEqual(window.until(count(10, 0, 0, 0.6)).remaining, 40)
    window.clear()
    assert.isUndefined(window.until(count(10, 0, 0, 0.6)).remaining)
  })
})
