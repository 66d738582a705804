import { assert, describe, it } from "vitest"
import { verificationProgress } from "../../../src/engine/chainstate/verification-progress.ts"

describe("the share of the chain that is verified", () => {
  it("is guessed as Bitcoin Core does", () => {
    const known = { time: 0, count: 0, rate: 0.001 }
    const facts = { transactions: 1_111, time: 1_700_192_873, headersAhead: 1, now: 1_700_193_573, targetSpacing: 600 }
    assert.strictEqual(verificationProgress(facts, known), 0.9994602374955021)
    assert.strictEqual(verificationProgress({ ...facts, transactions: 0 }, known), 0)
    // The tip is older than two hours: its own time counts.
    assert.strictEqual(verificationProgress({ ...facts, now: facts.time + 10_000 }, known), 1_111 / 1_121)
    // Before the last known count that count and what came since make the whole.
    assert.strictEqual(verificationProgress(facts, { time: facts.now - 1_000, count: 5_000, rate: 1 }), 1_111 / 6_000)
    assert.strictEqual(verificationProgress({ ...facts, headersAhead: 0 }, known), 1)
  })

  it("counts a tip by its header up to two hours from the clock, on either side", () => {
    const known = { time: 0, count: 0, rate: 1 }
    const at = (time: number, headersAhead = 0) =>
      verificationProgress({ transactions: 10_000, time, headersAhead, now: 1_000_000, targetSpacing: 600 }, known)
    assert.strictEqual(at(1_000_000 - 7_200), 1)
    assert.strictEqual(at(1_000_000 - 7_201), 10_000 / 17_201)
    assert.strictEqual(at(1_000_000 + 7_200, 2), 10_000 / 11_200)
    // Never more than all of it.
    assert.strictEqual(at(1_000_000 + 7_201, 2), 1)
    // The best header may be behind the tip when that is on another branch.
    assert.strictEqual(at(999_000, -1), 10_000 / 11_000)
  })

  it("takes the last known count for the whole until the chain has as many", () => {
    const facts = { transactions: 500, time: 0, headersAhead: 0, now: 1_000, targetSpacing: 600 }
    assert.strictEqual(verificationProgress(facts, { time: 900, count: 500, rate: 2 }), 500 / 700)
    assert.strictEqual(verificationProgress(facts, { time: 900, count: 499, rate: 2 }), 1)
  })
})
