import type { InputFailure } from "@lockstep/kernel/script"
import { violation } from "@lockstep/kernel/verdict"
import { afterEach, assert, describe, it, vi } from "vitest"
import {
  clearFailure,
  failsBefore,
  failureIn,
  hasDefect,
  reportDefect,
  reportFailure
} from "../../../src/engine/script-pool/job-failure.ts"
import type { JobFailure } from "../../../src/engine/script-pool/script-pool.ts"
import { meanwhile, rangesToClaim } from "./ranges-to-claim.ts"
import { FAILING, type Sample } from "./sample-jobs.ts"

describe("the failure of a block", () => {
  afterEach(() => void vi.restoreAllMocks())

  const [{ failure: first }, { failure: other }] = FAILING.filter(({ failure: each }, i) =>
    i === 0 || each!.detail.error !== FAILING[0]!.failure!.detail.error
  ) as [Sample, Sample]
  const of = (which: JobFailure | undefined, input: number): InputFailure =>
    violation(which!.rule, { error: which!.detail.error, input })
  const at = (which: JobFailure | undefined, job: number, input: number): JobFailure =>
    violation(which!.rule, { error: which!.detail.error, input, job })

  it("is none at first, and none of the block before", () => {
    const memory = rangesToClaim(1)
    reportFailure(memory, 0, of(first, 0))
    clearFailure(memory)
    assert.deepStrictEqual([failureIn(memory), hasDefect(memory)], [undefined, false])
    assert.deepStrictEqual([0, 1, 1_000_000].map((job) => failsBefore(memory, job)), [false, false, false])
  })

  it("is that of the earliest job, and of its earliest input, in whatever order they are reported", () => {
    const memory = rangesToClaim(1)
    for (
      const [job, input, which, expected] of [
        [7, 3, first, at(first, 7, 3)],
        [8, 0, other, at(first, 7, 3)],
        [7, 4, other, at(first, 7, 3)],
        [7, 2, other, at(other, 7, 2)],
        [6, 900_000, first, at(first, 6, 900_000)],
        [0, 0, other, at(other, 0, 0)]
      ] as const
    ) {
      reportFailure(memory, job, of(which, input))
      assert.deepStrictEqual(failureIn(memory), expected)
      assert.isFalse(hasDefect(memory))
    }
  })

  it("holds the last job and input that a block has room for", () => {
    const memory = rangesToClaim(1)
    reportFailure(memory, 2 ** 21 - 1, of(other, 2 ** 20 - 1))
    assert.deepStrictEqual(failureIn(memory), at(other, 2 ** 21 - 1, 2 ** 20 - 1))
  })

  it("makes the jobs behind it useless, but none before it, and not itself", () => {
    const memory = rangesToClaim(1)
    reportFailure(memory, 7, of(first, 1_000))
    assert.deepStrictEqual([0, 6, 7, 8, 9].map((job) => failsBefore(memory, job)), [false, false, false, true, true])
  })

  it("is the earlier one of two that are reported at the same moment", () => {
    for (const [mine, theirs] of [[4, 3], [3, 4]] as const) {
      const memory = rangesToClaim(1)
      meanwhile(() => reportFailure(memory, theirs, of(first, 0)))
      reportFailure(memory, mine, of(other, 0))
      assert.deepStrictEqual(failureIn(memory), mine === 3 ? at(other, 3, 0) : at(first, 3, 0))
    }
  })

  it("is no answer where there was a defect, before or after: no job is of use then", () => {
    for (const isFirst of [true, false]) {
      const memory = rangesToClaim(1)
      if (isFirst) reportDefect(memory)
      reportFailure(memory, 0, of(first, 0))
      if (!isFirst) reportDefect(memory)
      assert.isTrue(hasDefect(memory))
      assert.deepStrictEqual([0, 1].map((job) => failsBefore(memory, job)), [true, true])
    }
  })
})
