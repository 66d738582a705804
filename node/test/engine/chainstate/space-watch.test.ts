import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { untilSpaceIsEnough } from "../../../src/engine/chainstate/disk-full.ts"
import { type EngineStatus, haltedBecause, RUNNING, setClosing } from "../../../src/engine/state/engine-status.ts"
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
        mockTime: 1_700_000_000,
        disk: { ...nodeDisk("block-files"), space: () => Effect.sync(() => ({ free, total: 196 * MEBIBYTE })) },
        options: { minimumFreeBytes: 50 * MEBIBYTE },
        news: (each) => news.push(each)
      })
      const observed = () =>
        news.splice(0).map((each): unknown =>
          each._tag === "Event"
            ? each.event
            : each._tag === "Log"
            ? [each.level, each.message, each.fields]
            : each._tag
        )
      observed()
      const watch = yield* spaceWatch(chain, undefined as never, undefined as never)
      yield* Effect.forkChild(watch.background!, { startImmediately: true })
      const warning = `Less than 50 MiB are free in ${directory}: nothing is written until there is more`
      yield* TestClock.adjust("1 second")
      assert.strictEqual(haltedBecause(chain), warning)
      assert.deepStrictEqual([...chain.warnings], [warning])
      const low = { available_bytes: free, total_bytes: 196 * MEBIBYTE, percent_free: 25, disk_path: directory }
      assert.deepStrictEqual(observed(), [
        ["warn", warning, { available_bytes: free }],
        nodeEvent("DiskSpaceLow", low),
        nodeEvent("DataMaintenance", { operation: "cleanup", urgency: "medium", reason: "low_disk" }),
        "State"
      ])
      free = 100 * MEBIBYTE
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(haltedBecause(chain))
      assert.deepStrictEqual([...chain.warnings], [])
      assert.deepStrictEqual(observed(), [
        ["info", "There is space on the disk again", { available_bytes: free }],
        "State"
      ])
    }))

  const LOW: EngineStatus = { _tag: "LowSpace", directory: "data", minimumFreeBytes: MEBIBYTE }

  const waiting = (engine: Pick<ChainEngine, "status"> & Partial<Pick<ChainEngine, "lookAgain">>) =>
    Effect.forkChild(untilSpaceIsEnough(engine as ChainEngine), { startImmediately: true })

  const isDone = (fiber: Fiber.Fiber<void>): boolean => fiber.pollUnsafe() !== undefined

  it.effect("is waited for by long tasks, a look each second, unless a caller cannot wait", () =>
    Effect.gen(function*() {
      const patient = { status: LOW as EngineStatus }
      const hasty = { status: LOW as EngineStatus, lookAgain: Duration.millis(10) }
      const [usual, quick] = [yield* waiting(patient), yield* waiting(hasty)]
      yield* TestClock.adjust("995 millis")
      patient.status = hasty.status = RUNNING
      assert.deepStrictEqual([isDone(usual), isDone(quick)], [false, false])
      yield* TestClock.adjust("5 millis")
      assert.deepStrictEqual([isDone(usual), isDone(quick)], [true, true])
      hasty.status = LOW
      const again = yield* waiting(hasty)
      hasty.status = RUNNING
      yield* TestClock.adjust("10 millis")
      assert.isTrue(isDone(again))
    }))

  it.effect("lets long tasks end when it closes", () =>
    Effect.gen(function*() {
      const engine = { status: LOW as EngineStatus }
      const fiber = yield* waiting(engine)
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(isDone(fiber))
      setClosing(engine)
      yield* TestClock.adjust("1 second")
      assert.isTrue(isDone(fiber))
    }))
})
