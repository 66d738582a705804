import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { EngineNotification } from "../../../src/engine/api/engine-calls.ts"
import type { ChainEngine } from "../../../src/engine/chain-engine.ts"
import { untilSpaceIsEnough } from "../../../src/engine/chainstate/disk-full.ts"
import { spaceWatch } from "../../../src/engine/chainstate/space-watch.ts"
import { nodeEvent } from "../../../src/events/node-event.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testEngine } from "../test-engine.ts"

const MEBIBYTE = 1_048_576

describe("an engine whose disk is nearly full", () => {
  it.effect("says so, with what is free and what it takes, and stops saying it when there is room", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      let free = 49 * MEBIBYTE
      const news: Array<EngineNotification> = []
      const { chain } = yield* testEngine({
        directory,
        disk: { ...nodeDisk("block-files"), space: () => Effect.sync(() => ({ free, total: 196 * MEBIBYTE })) },
        options: { minimumFreeBytes: 50 * MEBIBYTE },
        news: (each) => news.push(each)
      })
      const told = () =>
        news.splice(0).map((each): unknown =>
          each._tag === "Event"
            ? each.event
            : each._tag === "Log"
            ? [each.level, each.message, each.fields]
            : each._tag
        )
      told()
      const watch = yield* spaceWatch(chain, undefined as never)
      yield* Effect.forkChild(watch.background!, { startImmediately: true })
      const warning = `Less than 50 MiB are free in ${directory}: nothing is written until there is more`
      yield* TestClock.adjust("1 second")
      assert.strictEqual(chain.lowSpace, warning)
      assert.deepStrictEqual([...chain.warnings], [warning])
      const low = { available_bytes: free, total_bytes: 196 * MEBIBYTE, percent_free: 25, disk_path: directory }
      assert.deepStrictEqual(told(), [
        ["warn", warning, { available_bytes: free }],
        nodeEvent("DiskSpaceLow", low),
        nodeEvent("DataMaintenance", { operation: "cleanup", urgency: "medium", reason: "low_disk" }),
        "State"
      ])
      free = 100 * MEBIBYTE
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(chain.lowSpace)
      assert.deepStrictEqual([...chain.warnings], [])
      assert.deepStrictEqual(told(), [
        ["info", "There is space on the disk again", { available_bytes: free }],
        "State"
      ])
    }))

  const waiting = (engine: Pick<ChainEngine, "closing" | "lookAgain"> & { readonly lowSpace: string | undefined }) =>
    Effect.forkChild(untilSpaceIsEnough(engine as ChainEngine), { startImmediately: true })

  const isDone = (fiber: Fiber.Fiber<void>): boolean => fiber.pollUnsafe() !== undefined

  it.effect("is waited for by long tasks, a look each second, unless a caller cannot wait", () =>
    Effect.gen(function*() {
      const engine = { closing: false, lowSpace: "low" as string | undefined }
      const usual = yield* waiting(engine)
      const quick = yield* waiting({
        ...engine,
        lookAgain: Duration.millis(10),
        get lowSpace() {
          return engine.lowSpace
        }
      })
      yield* TestClock.adjust("995 millis")
      engine.lowSpace = undefined
      assert.deepStrictEqual([isDone(usual), isDone(quick)], [false, false])
      yield* TestClock.adjust("5 millis")
      assert.deepStrictEqual([isDone(usual), isDone(quick)], [true, true])
      engine.lowSpace = "low"
      const again = yield* waiting({
        ...engine,
        lookAgain: Duration.millis(10),
        get lowSpace() {
          return engine.lowSpace
        }
      })
      engine.lowSpace = undefined
      yield* TestClock.adjust("10 millis")
      assert.isTrue(isDone(again))
    }))

  it.effect("lets long tasks end when it closes", () =>
    Effect.gen(function*() {
      const engine = { closing: false, lowSpace: "low" }
      const fiber = yield* waiting(engine)
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(isDone(fiber))
      engine.closing = true
      yield* TestClock.adjust("1 second")
      assert.isTrue(isDone(fiber))
    }))
})
