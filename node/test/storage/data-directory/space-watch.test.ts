import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { diskError } from "../../../src/storage/disk/disk-error.ts"
import { isLow, type SpaceChange, watchSpace } from "../../../src/storage/data-directory/space-watch.ts"

describe("space watch", () => {
  it("is low below the least, and enough again from a quarter above it", () => {
    assert.deepStrictEqual([99, 100, 101, 124, 125].map((free) => isLow(false, free, 100)), [
      true,
      false,
      false,
      false,
      false
    ])
    assert.deepStrictEqual([99, 100, 101, 124, 125].map((free) => isLow(true, free, 100)), [
      true,
      true,
      true,
      true,
      false
    ])
    assert.isFalse(isLow(false, 0, 0))
  })

  it.effect("reports each change once, looks more often while space is low, and bears a disk that does not answer", () =>
    Effect.gen(function*() {
      let free: number | undefined = 500
      let looks = 0
      const space = (path: string) =>
        Effect.suspend(() => {
          looks++
          return free === undefined
            ? Effect.fail(diskError("data-directory", "measure", path, new Error("gone")))
            : Effect.succeed({ free, total: 1000 })
        })
      const observed: Array<SpaceChange> = []
      const fiber = yield* watchSpace({ disk: { space }, path: "/data", minimumFreeBytes: 100 }).pipe(
        Stream.runForEach((change) => Effect.sync(() => observed.push(change))),
        Effect.forkChild({ startImmediately: true })
      )
      const after = (seconds: number, next: number | undefined) =>
        Effect.andThen(
          Effect.sync(() => {
            free = next
          }),
          TestClock.adjust(`${seconds} seconds`)
        )
      yield* after(60, 101)
      assert.deepStrictEqual([looks, observed.length], [3, 0])
      yield* after(30, 99)
      assert.deepStrictEqual(observed, [{ _tag: "Low", space: { free: 99, total: 1000 } }])
      yield* after(10, 120)
      assert.deepStrictEqual([looks, observed.length], [6, 1])
      yield* after(5, undefined)
      yield* after(5, 125)
      assert.deepStrictEqual(observed.at(-1), { _tag: "Enough", space: { free: 125, total: 1000 } })
      yield* after(300, 125)
      assert.strictEqual(observed.length, 2)
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("reports at once when space is low from the start", () =>
    Effect.gen(function*() {
      const disk = { space: () => Effect.succeed({ free: 1, total: 10 }) }
      const [first] = yield* watchSpace({ disk, path: "/data", minimumFreeBytes: 100 }).pipe(
        Stream.take(1),
        Stream.runCollect
      )
      assert.strictEqual(first?._tag, "Low")
    }))
})
