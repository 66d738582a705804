import { assert, describe, it } from "@effect/vitest"
import {
  compareScores,
  compareShares,
  type DosScore,
  dosScore,
  FAIR
} from "../../../src/p2p/relay/orphanage/dos-score.ts"

const of = (used: number, allowed: number): DosScore => ({ used, allowed })

describe("the score of a peer's orphans", () => {
  it("is the greater share of both, latency or weight", () => {
    const allowance = { latency: 10, weight: 1_000 }
    assert.deepStrictEqual(dosScore(5, 400, allowance), of(5, 10))
    assert.deepStrictEqual(dosScore(5, 600, allowance), of(600, 1_000))
    assert.deepStrictEqual(dosScore(0, 0, allowance), of(0, 10))
  })

  it("is of equal shares the one with the smaller allowance", () => {
    assert.deepStrictEqual(dosScore(5, 500, { latency: 10, weight: 1_000 }), of(5, 10))
    assert.deepStrictEqual(dosScore(500, 5, { latency: 1_000, weight: 10 }), of(5, 10))
  })

  it("compares fractions without rounding, and equal ones by their denominators", () => {
    assert.isAbove(compareShares(of(2, 3), of(1, 2)), 0)
    assert.isBelow(compareShares(of(1, 2), of(2, 3)), 0)
    assert.strictEqual(compareShares(of(1, 2), of(2, 4)), 0)
    assert.isAbove(compareScores(of(1, 2), of(2, 4)), 0)
    assert.isBelow(compareScores(of(2, 4), of(1, 2)), 0)
    assert.strictEqual(compareScores(of(1, 2), of(1, 2)), 0)
    assert.isAbove(compareScores(of(3, 4), of(1, 2)), 0)
  })

  it("is fair up to the whole share", () => {
    assert.strictEqual(compareShares(of(10, 10), FAIR), 0)
    assert.isAbove(compareShares(of(11, 10), FAIR), 0)
    assert.isBelow(compareShares(of(9, 10), FAIR), 0)
  })
})
