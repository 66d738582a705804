import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { inThreadPool } from "../../../src/engine/script-pool/in-thread.ts"
import type { ScriptPool, ScriptPoolFailure } from "../../../src/engine/script-pool/script-pool.ts"
import { startWhenNeeded } from "../../../src/engine/script-pool/start-when-needed.ts"
import { blockOf, crypto, FAILING, HOLDING } from "./sample-jobs.ts"

/** A pool behind a start that takes a while, and what became of both. */
const watched = (start: Effect.Effect<void, ScriptPoolFailure> = Effect.void) => {
  const seen = { starts: 0, closes: 0, judged: 0 }
  const real = inThreadPool(crypto)
  const counted: ScriptPool = {
    ...real,
    judge: (block, collected) => {
      seen.judged++
      return real.judge(block, collected)
    },
    close: Effect.sync(() => void seen.closes++)
  }
  const pool = startWhenNeeded(
    3,
    "scripted",
    Effect.suspend(() => {
      seen.starts++
      return Effect.as(Effect.andThen(Effect.yieldNow, start), counted)
    })
  )
  const judge = (samples: Parameters<typeof blockOf>[0]) => {
    const { block, collected } = blockOf(samples)
    return pool.judge(block, collected)
  }
  return { pool, seen, judge }
}

const FAILURE = { _tag: "ScriptPoolFailure", message: "no thread can be started" } as const

describe("script workers that start when they are needed", () => {
  it.effect("are not started, nor stopped, by blocks without scripts", () =>
    Effect.gen(function*() {
      const { judge, pool, seen } = watched()
      assert.isUndefined(yield* judge([]))
      yield* pool.close
      assert.deepStrictEqual(seen, { starts: 0, closes: 0, judged: 0 })
    }))

  it.effect("are started once, by the first of several blocks that arrive together", () =>
    Effect.gen(function*() {
      const { judge, pool, seen } = watched()
      const [one, two] = yield* Effect.all([judge([HOLDING[0]!]), judge([HOLDING[0]!, FAILING[0]!])], {
        concurrency: 2
      })
      assert.isUndefined(one)
      assert.strictEqual(two?.detail.job, 1)
      yield* pool.close
      assert.deepStrictEqual(seen, { starts: 1, closes: 1, judged: 2 })
    }))

  it.effect("begin with a later block before its effect runs", () =>
    Effect.gen(function*() {
      const { judge, seen } = watched()
      yield* judge([HOLDING[0]!])
      judge([HOLDING[0]!])
      assert.strictEqual(seen.judged, 2)
    }))

  it.effect("are started again by the next block when a start failed", () =>
    Effect.gen(function*() {
      let isFailing = true
      const { judge, seen } = watched(Effect.suspend(() => isFailing ? Effect.fail(FAILURE) : Effect.void))
      assert.deepStrictEqual(yield* Effect.flip(judge([HOLDING[0]!])), FAILURE)
      isFailing = false
      assert.isUndefined(yield* judge([HOLDING[0]!]))
      assert.strictEqual(seen.starts, 2)
    }))

  it.effect("are stopped also if the block they were started for is given up", () =>
    Effect.gen(function*() {
      const { judge, pool, seen } = watched()
      const fiber = yield* Effect.forkChild(judge([HOLDING[0]!]))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      yield* pool.close
      assert.deepStrictEqual([seen.starts, seen.closes], [1, 1])
    }))

  it.effect("judge nothing once they were stopped", () =>
    Effect.gen(function*() {
      const { judge, pool, seen } = watched()
      yield* pool.close
      assert.strictEqual((yield* Effect.flip(judge([HOLDING[0]!]))).message, "The script workers were stopped.")
      assert.strictEqual(seen.starts, 0)
    }))

  it("say at once how many there will be, and on which provider", () => {
    const { pool } = watched()
    assert.deepStrictEqual([pool.workers, pool.provider], [3, "scripted"])
  })
})
