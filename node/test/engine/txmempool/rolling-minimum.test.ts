import { assert, describe, it } from "vitest"
import {
  blockLowersMinimum,
  currentMinimum,
  foreseenMinimum,
  raiseMinimum,
  rollingMinimum
} from "../../../src/engine/txmempool/rolling-minimum.ts"

const HALF_LIFE = 43_200
const full = (usage: number) => ({ usage: () => usage, limit: 1_000, incremental: 100 })

describe("the rolling minimum fee", () => {
  it("stays until a block comes, however much time passes", () => {
    const minimum = rollingMinimum(0)
    raiseMinimum(minimum, 5_000)
    raiseMinimum(minimum, 4_000)
    assert.strictEqual(currentMinimum(minimum, 100 * HALF_LIFE, full(0)), 5_000)
    blockLowersMinimum(minimum, 100 * HALF_LIFE)
    raiseMinimum(minimum, 6_000)
    assert.strictEqual(currentMinimum(minimum, 200 * HALF_LIFE, full(0)), 6_000)
  })

  it.each([[500, 1], [499, 2], [250, 2], [249, 4]])(
    "with usage %i of 1,000 halves %i times in half a day",
    (usage, times) => {
      const minimum = rollingMinimum(0)
      raiseMinimum(minimum, 16_000)
      blockLowersMinimum(minimum, 0)
      assert.strictEqual(currentMinimum(minimum, HALF_LIFE, full(usage)), 16_000 / 2 ** times)
    }
  )

  it("only decays where it is asked for: a block forgets the time before it", () => {
    const minimum = rollingMinimum(0)
    raiseMinimum(minimum, 16_000)
    blockLowersMinimum(minimum, 0)
    assert.strictEqual(foreseenMinimum(minimum, HALF_LIFE, full(500)), 8_000)
    blockLowersMinimum(minimum, HALF_LIFE)
    assert.strictEqual(currentMinimum(minimum, HALF_LIFE, full(500)), 16_000)
    assert.strictEqual(currentMinimum(minimum, 2 * HALF_LIFE, full(500)), 8_000)
    blockLowersMinimum(minimum, 2 * HALF_LIFE)
    assert.strictEqual(foreseenMinimum(minimum, 2 * HALF_LIFE, full(500)), 8_000)
  })

  it("goes on to halve where it is raised to what it is", () => {
    const minimum = rollingMinimum(0)
    raiseMinimum(minimum, 5_000)
    blockLowersMinimum(minimum, 0)
    raiseMinimum(minimum, 5_000)
    assert.strictEqual(currentMinimum(minimum, HALF_LIFE, full(1_000)), 2_500)
  })

  it.each([[250, 2], [249, 4], [501, 1], [500, 2]])(
    "with usage %i of 1,003, of which half and quarter are rounded down, halves %i times in half a day",
    (usage, times) => {
      const minimum = rollingMinimum(0)
      raiseMinimum(minimum, 16_000)
      blockLowersMinimum(minimum, 0)
      const now = currentMinimum(minimum, HALF_LIFE, { usage: () => usage, limit: 1_003, incremental: 100 })
      assert.strictEqual(now, 16_000 / 2 ** times)
    }
  )

  it("does not decay within ten seconds, and counts from the last time that it did", () => {
    const minimum = rollingMinimum(0)
    raiseMinimum(minimum, 1_000)
    blockLowersMinimum(minimum, 0)
    assert.strictEqual(currentMinimum(minimum, 10, full(1_000)), 1_000)
    assert.strictEqual(minimum.rate, 1_000)
    assert.strictEqual(currentMinimum(minimum, HALF_LIFE, full(1_000)), 500)
    assert.strictEqual(currentMinimum(minimum, 2 * HALF_LIFE, full(1_000)), 250)
  })

  it("is at least the incremental fee, and nothing below half of it", () => {
    const minimum = rollingMinimum(0)
    raiseMinimum(minimum, 150)
    blockLowersMinimum(minimum, 0)
    assert.strictEqual(currentMinimum(minimum, HALF_LIFE, full(1_000)), 100)
    assert.strictEqual(minimum.rate, 75)
    assert.strictEqual(currentMinimum(minimum, 2 * HALF_LIFE, full(1_000)), 0)
    assert.strictEqual(minimum.rate, 0)
    raiseMinimum(minimum, 100)
    blockLowersMinimum(minimum, 0)
    assert.strictEqual(currentMinimum(minimum, HALF_LIFE, full(1_000)), 100, "half of it is not below")
  })
})
