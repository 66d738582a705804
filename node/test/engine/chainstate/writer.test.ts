import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { commit } from "../../../src/engine/chainstate/commit.ts"
import { makeWriter } from "../../../src/engine/chainstate/writer.ts"
import { engineParts } from "../../../src/engine/host/open-engine.ts"
import { inThreadPool } from "../../../src/engine/script-pool/in-thread.ts"
import { openChain } from "../../../src/engine/host/start.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { openLmdbStore } from "../../../src/storage/key-value/lmdb-store.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { regtestOptions, testCrypto } from "../test-engine.ts"

const MINUTE = 60_000

/** A writer of a chain that nothing else works on, by a clock of the test's; counts commits. */
const writing = Effect.fnUntraced(function*(isDownloading: boolean) {
  const directory = yield* temporaryDirectory
  const store = yield* Effect.acquireRelease(
    openLmdbStore(join(directory, "store")),
    ({ close }) => Effect.ignore(close)
  )
  const time = { now: 1_000_000, commits: 0 }
  const counting: typeof store = {
    ...store,
    write: (fill) => Effect.tap(store.write(fill), () => Effect.sync(() => time.commits++))
  }
  const parts = yield* engineParts(regtestOptions(directory), {
    disk: nodeDisk("block-files"),
    store: counting,
    crypto: testCrypto,
    mockTime: 1_700_000_000,
    pool: inThreadPool(testCrypto),
    notify: () => {}
  })
  const chain = yield* openChain({ ...parts, clock: { ...parts.clock, elapsed: () => time.now } })
  chain.initialBlockDownload = isDownloading
  time.commits = 0
  const writer = makeWriter(chain)
  const change = writer.change(Effect.sync(() => void (chain.dirty = true)))
  const nothing = writer.change(Effect.void)
  return { chain, time, writer, change, nothing }
})

describe("the one writer", () => {
  it.live("commits each change before it answers, out of the initial download, and nothing where nothing changed", () =>
    Effect.gen(function*() {
      const { change, chain, nothing, time } = yield* writing(false)
      yield* change
      assert.deepStrictEqual([time.commits, chain.dirty], [1, false])
      yield* nothing
      assert.strictEqual(time.commits, 1)
      yield* change
      assert.strictEqual(time.commits, 2)
    }))

  it.live("commits every five minutes in the initial download, and when it closes", () =>
    Effect.gen(function*() {
      const { change, chain, nothing, time, writer } = yield* writing(true)
      yield* change
      time.now += 5 * MINUTE
      yield* change
      assert.deepStrictEqual([time.commits, chain.dirty], [0, true])
      time.now += 1
      yield* nothing
      assert.deepStrictEqual([time.commits, chain.dirty], [1, false])
      yield* change
      time.now += 5 * MINUTE
      yield* change
      assert.strictEqual(time.commits, 1, "counted from the last commit")
      yield* writer.close
      assert.strictEqual(time.commits, 2)
    }))

  it.live("commits in the initial download as soon as memory is full", () =>
    Effect.gen(function*() {
      const { change, chain, time } = yield* writing(true)
      let isFull = false
      chain.hooks.push({ isFull: () => isFull })
      yield* change
      assert.strictEqual(time.commits, 0)
      isFull = true
      yield* change
      assert.strictEqual(time.commits, 1)
    }))

  it.live("has at most 64 changes that come together wait for one commit", () =>
    Effect.gen(function*() {
      const { change, time } = yield* writing(false)
      const together = (count: number) =>
        Effect.as(Effect.all(Array.from({ length: count }, () => change), { concurrency: "unbounded" }), time.commits)
      yield* together(64)
      assert.strictEqual(time.commits, 1)
      yield* together(129)
      assert.strictEqual(time.commits, 4)
    }))

  it.effect("commits what has been there for five seconds without another call, in the initial download", () =>
    Effect.gen(function*() {
      const { change, time, writer } = yield* writing(true)
      const idle = yield* Effect.forkChild(writer.commitWhenIdle, { startImmediately: true })
      const pass = (milliseconds: number) => {
        time.now += milliseconds
        return TestClock.adjust(Duration.millis(milliseconds))
      }
      const settled = Effect.promise(() => new Promise((resume) => setTimeout(resume, 20)))
      yield* pass(1)
      yield* change
      yield* pass(4_999)
      yield* settled
      assert.strictEqual(time.commits, 0, "a look after 4.999 s is too early")
      yield* pass(5_000)
      while (time.commits === 0) yield* settled
      yield* pass(5_000)
      yield* settled
      assert.strictEqual(time.commits, 1, "nothing has changed since")
      yield* Fiber.interrupt(idle)
    }))

  it.live("asks a long turn to end when others wait", () =>
    Effect.gen(function*() {
      const { writer } = yield* writing(true)
      assert.isFalse(writer.isWanted())
      const seen: Array<boolean> = []
      const long = writer.change(Effect.gen(function*() {
        seen.push(writer.isWanted())
        for (const other of [writer.change(Effect.void), writer.alone(Effect.void)]) {
          yield* Effect.forkDetach(other, { startImmediately: true })
          seen.push(writer.isWanted())
        }
      }))
      yield* long
      yield* writer.alone(Effect.void)
      assert.deepStrictEqual(seen, [false, true, true])
      assert.isFalse(writer.isWanted())
    }))

  it.live("does not count a reader that gave up while it waited", () =>
    Effect.gen(function*() {
      const { writer } = yield* writing(true)
      const seen: Array<boolean> = []
      yield* writer.change(Effect.gen(function*() {
        const reader = yield* Effect.forkDetach(writer.alone(Effect.void), { startImmediately: true })
        seen.push(writer.isWanted())
        yield* Fiber.interrupt(reader)
        seen.push(writer.isWanted())
      }))
      assert.deepStrictEqual(seen, [true, false])
    }))

  it.live("asks a turn to end that lasts more than half a second, or delays a commit in the initial download", () =>
    Effect.gen(function*() {
      const { change, time, writer } = yield* writing(false)
      const seen: Array<boolean> = []
      time.now += 7_000
      yield* writer.change(Effect.sync(() => {
        time.now += 500
        seen.push(writer.isWanted())
        time.now += 1
        seen.push(writer.isWanted())
      }))
      assert.deepStrictEqual(seen, [false, true])
      yield* change

      const downloading = yield* writing(true)
      downloading.time.now += 5 * MINUTE + 1
      assert.isFalse(downloading.writer.isWanted(), "there is nothing to commit")
      downloading.chain.dirty = true
      assert.isTrue(downloading.writer.isWanted())
      downloading.time.now -= 1
      assert.isFalse(downloading.writer.isWanted())
    }))

  it.live("answers a change that waits for a commit when the next one has committed everything itself", () =>
    Effect.gen(function*() {
      const { change, chain, writer } = yield* writing(false)
      const committing = writer.change(Effect.orDie(commit(chain)))
      const answers = Effect.all([Effect.as(change, 1), Effect.as(committing, 2)], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* answers, [1, 2])
      assert.isFalse(chain.dirty)
    }))

  it.live("takes no change any more once it closed", () =>
    Effect.gen(function*() {
      const { change, writer } = yield* writing(false)
      yield* writer.close
      assert.strictEqual((yield* Effect.flip(change))._tag, "Closing")
      assert.strictEqual((yield* Effect.flip(writer.alone(Effect.void)))._tag, "Closing")
    }))
})
