import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { EventBus } from "../../src/events/event-bus.ts"
import type { Chain } from "../../src/engine-client/chain.ts"
import { periodicMaintenance } from "../../src/lifecycle/periodic-maintenance.ts"

const EVERY_SECONDS = 60

/** A chain whose flushes take as long as the test says, on the test's clock. */
const chainWith = (coins: () => number, flushMs: number) =>
  ({
    state: () => ({ cacheChanges: coins() }),
    call: () => Effect.sleep(flushMs)
  }) as unknown as Chain["Service"]

describe("the estimate of a flush by periodic maintenance", () => {
  it.effect("is that of a usual disk at first, and then that of the last flush that was large enough to show", () =>
    Effect.scoped(Effect.gen(function*() {
      const bus = yield* EventBus
      const estimates: Array<unknown> = []
      yield* bus.observe({
        isListening: (type) => type === "MaintenanceStarted",
        run: ({ payload }) =>
          Effect.sync(() => void estimates.push((payload as Record<string, unknown>)["estimated_duration_seconds"]))
      })
      const amounts = [1_000_000, 50, 1_000_000, 0]
      const chain = chainWith(() => amounts[estimates.length] ?? 0, 50_000)
      yield* Effect.forkScoped(periodicMaintenance(chain, bus, EVERY_SECONDS))
      yield* TestClock.adjust("8 minutes")
      // 100 coins a millisecond first; measured are 1,000,000 in 50 s, and the flush of 50 says nothing.
      assert.deepStrictEqual(estimates.slice(0, 4), [10, 1, 50, 0])
    })).pipe(Effect.provide([EventBus.layer, Logger.layer([])])))
})
