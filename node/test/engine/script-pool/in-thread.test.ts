import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inThreadPool } from "../../../src/engine/script-pool/in-thread.ts"
import { blockOf, crypto, FAILING, HOLDING, type Sample } from "./sample-jobs.ts"

const pool = inThreadPool(crypto)

const judged = (chosen: ReadonlyArray<Sample>) => {
  const { block, collected } = blockOf(chosen)
  return pool.judge(block, collected)
}

const at = ({ failure }: Sample, job: number) => ({ ...failure!, detail: { ...failure!.detail, job } })

describe("a script pool without threads", () => {
  it.effect("answers the first failure with its place, and none where all scripts hold", () =>
    Effect.gen(function*() {
      const [one, two] = HOLDING as [Sample, Sample]
      const [first, second] = FAILING as [Sample, Sample]
      assert.isUndefined(yield* judged([]))
      assert.isUndefined(yield* judged([one, two]))
      assert.deepStrictEqual(yield* judged([first]), at(first, 0))
      assert.deepStrictEqual(yield* judged([one, two, second, one, first]), at(second, 2))
    }))

  it.effect("has no workers, and nothing to close", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual([pool.workers, pool.provider], [0, "in thread"])
      assert.isUndefined(yield* pool.close)
      assert.deepStrictEqual(yield* judged([FAILING[0]!]), at(FAILING[0]!, 0))
    }))
})
