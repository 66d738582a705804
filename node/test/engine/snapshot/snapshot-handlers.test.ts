import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { COINS_RECORD_KEY, encodeCoinsRecord } from "../../../src/engine/state/coins-record.ts"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import { openLmdbStore } from "../../../src/storage/key-value/lmdb-store.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"
import {
  BASE,
  heights,
  loadingEngine,
  otherCoins,
  prepare,
  recordForAll,
  type Records,
  submit,
  TOP
} from "./snapshot-rig.ts"

let recorded: Records
recordForAll((records) => {
  recorded = records
})

describe("a node with a snapshot", () => {
  it.live("records that no coins are left over once those of a refused snapshot were removed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const engine = yield* loadingEngine(directory, recorded)
      yield* prepare(engine, recorded, 3)
      const bad = join(directory, "bad.dat")
      writeFileSync(bad, readFileSync(recorded.file).subarray(0, -1))
      yield* Effect.flip(engine.call("loadCoins", { file: bad }))
      assert.strictEqual(yield* otherCoins(engine), 0)
      const { active, whole } = engine.chain.chainstates
      const clean = encodeCoinsRecord({ active, hasLeftover: false, background: undefined })
      const isClean = Effect.map(whole.get(COINS_RECORD_KEY), (found) => found?.join() === clean.join())
      for (let looks = 0; looks < 200 && !(yield* isClean); looks++) yield* Effect.sleep(5)
      assert.isTrue(yield* isClean, "the next start has nothing to remove")
    }))

  it.live("connects at once what came above it before", () =>
    Effect.gen(function*() {
      const engine = yield* loadingEngine(yield* temporaryDirectory, recorded)
      yield* prepare(engine, recorded, 3)
      yield* submit(engine, recorded, BASE, TOP)
      assert.deepStrictEqual(heights(engine), { tip: 3, behind: undefined, assumed: undefined })
      yield* engine.call("loadCoins", { file: recorded.file })
      assert.deepStrictEqual(heights(engine), { tip: TOP, behind: 3, assumed: BASE })
    }))

  it.live("compares the coins at the next start where the last one ended before that", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        let isGone = false
        const [part, operation, reason] = ["key-value", "read", "io"] as const
        const gone = Effect.fail(new StorageError({ part, operation, reason, message: "gone" }))
        const store = (real: KeyValueStore): KeyValueStore => ({
          ...real,
          snapshot: Effect.suspend(() => isGone ? gone : real.snapshot)
        })
        const engine = yield* loadingEngine(directory, recorded, { store })
        yield* prepare(engine, recorded, 3)
        yield* engine.call("loadCoins", { file: recorded.file })
        isGone = true
        yield* Effect.ignore(submit(engine, recorded, 3, BASE))
        while (engine.chain.status._tag !== "Broken") yield* Effect.sleep(2)
        assert.strictEqual(heights(engine).behind, BASE)
      }))
      const engine = yield* loadingEngine(directory, recorded)
      for (let looks = 0; looks < 400 && heights(engine).behind !== undefined; looks++) yield* Effect.sleep(5)
      assert.deepStrictEqual(heights(engine), { tip: BASE, behind: undefined, assumed: undefined })
    }))

  it.live("does not start where the record of its coins is damaged", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.flatMap(loadingEngine(directory, recorded), (engine) =>
        Effect.andThen(prepare(engine, recorded, 3), engine.call("loadCoins", { file: recorded.file }))))
      yield* Effect.acquireUseRelease(
        openLmdbStore(join(directory, "store")),
        (store) =>
          store.write((batch) => batch.put(COINS_RECORD_KEY, Uint8Array.of(9))),
        ({ close }) => Effect.ignore(close)
      )
      const { message } = yield* Effect.scoped(Effect.flip(loadingEngine(directory, recorded)))
      assert.match(message, /does not say which of its coins are in use: .* Run .*rebuild/)
    }))

  it.live("stops where the coins that are of no use cannot be removed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const [part, operation, reason] = ["key-value", "read", "io"] as const
      let ranges = -Infinity
      const store = (real: KeyValueStore): KeyValueStore => ({
        ...real,
        range: (range) =>
          ++ranges === 2
            ? Stream.fail(new StorageError({ part, operation, reason, message: "gone" }))
            : real.range(range)
      })
      const engine = yield* loadingEngine(directory, recorded, { store })
      yield* prepare(engine, recorded, 3)
      const bad = join(directory, "bad.dat")
      writeFileSync(bad, readFileSync(recorded.file).subarray(0, -1))
      ranges = 0
      yield* Effect.flip(engine.call("loadCoins", { file: bad }))
      while (engine.chain.status._tag !== "Broken") yield* Effect.sleep(2)
    }))
})
