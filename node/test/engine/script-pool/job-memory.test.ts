import { afterEach, assert, describe, it, vi } from "vitest"
import { cancelRanges, claimRange, finishRanges, isFinished, Word } from "../../../src/engine/script-pool/job-memory.ts"
import { meanwhile, rangesToClaim } from "./ranges-to-claim.ts"

describe("the words that threads share about a block", () => {
  afterEach(() => void vi.restoreAllMocks())

  it("give each range to one thread, also when another takes one at the same moment", () => {
    const memory = rangesToClaim(3)
    let other: number | undefined
    meanwhile(() => void (other = claimRange(memory)))
    assert.deepStrictEqual([claimRange(memory), other, memory.words[Word.TO_CLAIM]], [1, 0, 1])
    meanwhile(() => void (other = claimRange(memory)))
    assert.deepStrictEqual([claimRange(memory), other, claimRange(memory)], [-1, 2, -1])
    assert.strictEqual(memory.words[Word.TO_CLAIM], 0)
  })

  it("tell the one who finishes the last range, whether it was judged or given up", () => {
    const memory = rangesToClaim(3)
    assert.isFalse(isFinished(memory))
    assert.isFalse(finishRanges(memory, 2))
    assert.isFalse(isFinished(memory))
    assert.isTrue(finishRanges(memory, 1))
    assert.isTrue(isFinished(memory))

    const given = rangesToClaim(3)
    assert.strictEqual(claimRange(given), 0)
    assert.isFalse(cancelRanges(given))
    assert.deepStrictEqual([given.words[Word.TO_CLAIM], given.words[Word.DONE]], [0, 2])
    assert.isTrue(finishRanges(given, 1))
    assert.isTrue(cancelRanges(rangesToClaim(2)), "none of them is held")
  })
})
