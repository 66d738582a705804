import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { DISK_FULL } from "../../../src/engine/api/fault-text.ts"
import { whenThereIsSpace } from "../../../src/engine/chainstate/disk-full.ts"
import { RUNNING, setClosing } from "../../../src/engine/state/engine-status.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testEngine } from "../test-engine.ts"

const LEAST = 1_000

const fault = (reason: "full" | "io"): StorageError =>
  new StorageError({ part: "block-files", operation: "write", reason, message: `it is ${reason}` })

/** An engine on a disk with so much space, and a write that fails so often. */
const place = Effect.fnUntraced(function*(failures: ReadonlyArray<"full" | "io">) {
  const space = { free: 0 }
  const news: Array<EngineNotification> = []
  const { chain } = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: 1_700_000_000,
    disk: { ...nodeDisk("block-files"), space: () => Effect.sync(() => ({ free: space.free, total: 10 * LEAST })) },
    options: { minimumFreeBytes: LEAST },
    news: (each) => void news.push(each)
  })
  const paused: Array<string> = []
  chain.pauseListeners.add((cause) => paused.push(cause))
  let tried = 0
  const write = Effect.suspend(() => {
    const reason = failures[tried++]
    return reason === undefined ? Effect.succeed("written") : Effect.fail(fault(reason))
  })
  news.splice(0)
  const observed = () =>
    news.splice(0).map((each): unknown => each._tag === "Log" ? [each.level, each.message, each.fields] : each._tag)
  return { chain, observed, paused, space, tried: () => tried, written: whenThereIsSpace(chain, write) }
})

describe("a write", () => {
  it.effect("that succeeds at once changes nothing, and nothing is said", () =>
    Effect.gen(function*() {
      const { chain, observed, paused, written } = yield* place([])
      assert.strictEqual(yield* written, "written")
      assert.deepStrictEqual([observed(), paused, [...chain.warnings], chain.pauses], [[], [], [], 0])
      assert.strictEqual(chain.status, RUNNING)
    }))

  it.effect("on a full disk waits until more than the least is free, and is tried again each time until it succeeds", () =>
    Effect.gen(function*() {
      const { chain, observed, paused, space, tried, written } = yield* place(["full", "full"])
      const writing = yield* Effect.forkChild(written, { startImmediately: true })
      assert.deepStrictEqual(observed(), [["error", DISK_FULL, { cause: "it is full" }], "State"])
      assert.deepStrictEqual([paused, [...chain.warnings], chain.pauses], [["it is full"], [DISK_FULL], 1])
      assert.deepStrictEqual(chain.status, { _tag: "Paused", cause: "it is full", after: RUNNING })
      space.free = LEAST
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(tried(), 1)
      space.free = LEAST + 1
      yield* TestClock.adjust("1 second")
      assert.strictEqual(tried(), 2)
      // It has begun to wait once: nothing is said a second time.
      assert.deepStrictEqual([observed(), paused.length, chain.pauses], [[], 1, 1])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(writing.pollUnsafe()?._tag, "Success")
      assert.deepStrictEqual(observed(), [
        ["info", "There is space on the disk again: writing goes on", {}],
        "State"
      ])
      assert.deepStrictEqual([[...chain.warnings], chain.status, tried()], [[], RUNNING, 3])
    }))

  it.effect("that fails for another reason fails at once, also behind a wait", () =>
    Effect.gen(function*() {
      const one = yield* place(["io"])
      assert.strictEqual((yield* Effect.flip(one.written)).message, "it is io")
      assert.deepStrictEqual([one.observed(), one.chain.pauses], [[], 0])
      const other = yield* place(["full", "io"])
      const writing = yield* Effect.forkChild(Effect.flip(other.written), { startImmediately: true })
      other.space.free = LEAST + 1
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(writing)).message, "it is io")
    }))

  it.effect("on a full disk fails when the engine ends", () =>
    Effect.gen(function*() {
      const { chain, tried, written } = yield* place(["full"])
      const writing = yield* Effect.forkChild(Effect.flip(written), { startImmediately: true })
      setClosing(chain)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual([(yield* Fiber.join(writing)).message, tried()], ["it is full", 1])
    }))
})
