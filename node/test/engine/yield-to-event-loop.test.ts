import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { periodicYield, yieldToEventLoop } from "../../src/engine/options/yield-to-event-loop.ts"

/** Whether the event loop had its turn while `work` ran. */
const yields = (work: Effect.Effect<void>): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    let hadTurn = false
    setImmediate(() => {
      hadTurn = true
    })
    yield* work
    const answer = hadTurn
    yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
    return answer
  })

describe("a long task of the engine", () => {
  it.live("lets the event loop have its turn", () =>
    Effect.gen(function*() {
      assert.isTrue(yield* yields(yieldToEventLoop))
      assert.isFalse(yield* yields(Effect.void))
    }))

  it.live("does so after 20 ms of work, and again after 20 ms more", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => vi.spyOn(performance, "now")),
      (clock) =>
        Effect.gen(function*() {
          clock.mockReturnValue(1_000)
          const rest = periodicYield()
          const steps = [[1_000, false], [1_019.9, false], [1_020, true], [1_039, false], [1_040, true]] as const
          for (const [milliseconds, expected] of steps) {
            clock.mockReturnValue(milliseconds)
            assert.strictEqual(yield* yields(rest), expected, `${milliseconds}`)
          }
        }),
      (clock) => Effect.sync(() => clock.mockRestore())
    ))
})
