import { assert, describe, it } from "@effect/vitest"
import { commitPace, learn } from "../../src/coins/commit-pace.ts"

const after = (...commits: ReadonlyArray<readonly [changes: number, milliseconds: number]>): number => {
  const pace = commitPace(false)
  for (const [changes, milliseconds] of commits) learn(pace, changes, milliseconds)
  return pace.changes
}
const repeated = (times: number, changes: number, milliseconds: number): number =>
  after(...Array.from({ length: times }, () => [changes, milliseconds] as const))

describe("pace of commits", () => {
  it("comes to what takes three seconds", () => {
    assert.approximately(repeated(20, 200_000, 1_000), 600_000, 1_000)
    assert.approximately(repeated(20, 400_000, 12_000), 100_000, 1_000)
  })

  it("starts with little, as long as nothing is known of the disk", () => {
    assert.strictEqual(after(), 250_000)
  })

  it("starts with more where nothing is in the way", () => {
    const pace = commitPace(true)
    assert.strictEqual(pace.changes, 600_000)
    learn(pace, 600_000, 6_000)
    assert.strictEqual(pace.changes, after([600_000, 6_000]))
  })

  it("stays within bounds on the slowest and the quickest disk", () => {
    assert.strictEqual(repeated(30, 100_000, 1_000_000), 50_000)
    assert.strictEqual(repeated(30, 100_000, 0), 1_000_000)
  })

  it("learns nothing from small commits, which take as long as the disk takes to turn", () => {
    assert.strictEqual(after([19_999, 60_000]), after())
    assert.isBelow(after([20_000, 60_000]), after())
  })

  it("goes half of the way to what takes three seconds with each commit, also from that of an empty store", () => {
    assert.deepStrictEqual([after([200_000, 1_000]), after([400_000, 12_000])], [425_000, 175_000])
    assert.strictEqual(after([200_000, 1_000], [400_000, 12_000]), 262_500)
    const pace = commitPace(true)
    learn(pace, 200_000, 1_000)
    learn(pace, 400_000, 12_000)
    assert.deepStrictEqual(pace, { changes: 262_500, isOfEmptyStore: false })
    const small = commitPace(true)
    learn(small, 19_999, 1_000)
    assert.deepStrictEqual(small, { changes: 600_000, isOfEmptyStore: true })
  })
})
