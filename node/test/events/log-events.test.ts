import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { EventBus } from "../../src/events/event-bus.ts"
import { logEvents } from "../../src/log/log-events.ts"
import { Log } from "../../src/log/log-layer.ts"
import type { Levels } from "../../src/log/log-record.ts"

const block = (height: number) => ({ block_hash: "00".repeat(32), height, transactions: 1 })

describe("events in the log", () => {
  it.effect("are written while the log takes that level of them, whenever that changes, and are not made before", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      let levels: Levels = { level: "info", categories: {} }
      const log = Log.of({ reopen: Effect.void, levels: () => levels, setLevels: () => Effect.void })
      const logger = Logger.make(({ fiber }) =>
        void lines.push(fiber.getRef(References.CurrentLogAnnotations)["payload"])
      )
      const scope = yield* Scope.make()
      yield* Effect.gen(function*() {
        const bus = yield* EventBus
        yield* Scope.provide(logEvents, scope)
        yield* bus.publish("NewBlock", block(1))
        assert.isFalse(bus.hasSubscribers("NewBlock"))
        levels = { level: "info", categories: { events: "debug" } }
        assert.isTrue(bus.hasSubscribers("NewBlock"))
        yield* bus.publish("NewBlock", block(2))
        levels = { level: "info", categories: {} }
        yield* bus.publish("NewBlock", block(3))
        yield* Scope.close(scope, Exit.void)
      }).pipe(Effect.provide(Layer.mergeAll(
        EventBus.layer,
        Layer.succeed(Log, log),
        Logger.layer([logger]),
        Layer.succeed(References.MinimumLogLevel, "All")
      )))
      assert.deepStrictEqual(lines, [JSON.stringify(block(2))])
    }))

  it.effect("are all there, in order, however many are published before anything else has its turn", () =>
    Effect.gen(function*() {
      const heights: Array<number> = []
      const log = Log.of({
        reopen: Effect.void,
        levels: () => ({ level: "debug", categories: {} }),
        setLevels: () => Effect.void
      })
      const logger = Logger.make(({ fiber, message }) => {
        const payload = fiber.getRef(References.CurrentLogAnnotations)["payload"]
        assert.strictEqual(typeof payload, "string", String(message))
        heights.push(JSON.parse(String(payload)).height)
      })
      yield* Effect.gen(function*() {
        const bus = yield* EventBus
        yield* logEvents
        const run = Effect.runSyncWith(Context.empty())
        for (let height = 0; height < 12_000; height++) run(bus.publish("NewBlock", block(height)))
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.mergeAll(
          EventBus.layer,
          Layer.succeed(Log, log),
          Logger.layer([logger]),
          Layer.succeed(References.MinimumLogLevel, "All")
        ))
      )
      assert.deepStrictEqual(heights, Array.from({ length: 12_000 }, (_, i) => i))
    }))
})
