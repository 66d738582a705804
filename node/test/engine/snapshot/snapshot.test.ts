import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { COINS_RECORD_KEY } from "../../../src/engine/snapshot/coins-record.ts"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import { openLmdbStore } from "../../../src/storage/key-value/lmdb-store.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"
import { plantChain, plantedRoot } from "../planted-blocks.ts"
import {
  BASE,
  coinsOf,
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

describe("a snapshot of coins", () => {
  it.live("becomes the tip, goes on, and is confirmed by the chain behind it, over restarts", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        yield* prepare(engine, recorded, 3)
        const { coins, height } = yield* engine.call("loadCoins", { file: recorded.file })
        assert.deepStrictEqual([coins, height], [BASE, BASE])
        assert.deepStrictEqual(heights(engine), { tip: BASE, behind: 3, assumed: BASE })
        yield* submit(engine, recorded, BASE, TOP - 1)
        yield* submit(engine, recorded, 3, 5)
        assert.deepStrictEqual(heights(engine), { tip: TOP - 1, behind: 5, assumed: BASE })
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        assert.deepStrictEqual(heights(engine), { tip: TOP - 1, behind: 5, assumed: BASE })
        // Out of order: it waits for the ones before it.
        yield* submit(engine, recorded, 6, BASE)
        assert.deepStrictEqual(heights(engine), { tip: TOP - 1, behind: 5, assumed: BASE })
        yield* submit(engine, recorded, 5, 6)
        assert.deepStrictEqual(heights(engine), { tip: TOP - 1, behind: undefined, assumed: undefined })
        yield* submit(engine, recorded, TOP - 1, TOP)
      }))
      const engine = yield* loadingEngine(directory, recorded)
      assert.deepStrictEqual(heights(engine), { tip: TOP, behind: undefined, assumed: undefined })
      assert.strictEqual(yield* coinsOf(engine), recorded.top)
      // The chain goes back behind the snapshot and forward again, as any other.
      const { hash } = recorded.chain[4]!.node
      yield* engine.call("invalidateBlock", { hash })
      assert.strictEqual(engine.chain.tree.tip.height, 4)
      yield* engine.call("reconsiderBlock", { hash })
      assert.strictEqual(engine.chain.tree.tip.height, TOP)
      assert.strictEqual(yield* otherCoins(engine), 0)
    }))

  it.live("is refused with its file unless it is the known one, and leaves nothing behind", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const engine = yield* loadingEngine(directory, recorded)
      const bad = join(directory, "bad.dat")
      const refusal = (bytes: Uint8Array) =>
        Effect.gen(function*() {
          writeFileSync(bad, bytes)
          const error = yield* Effect.flip(engine.call("loadCoins", { file: bad }))
          return "cause" in error ? error.cause : error._tag
        })
      const good = readFileSync(recorded.file)
      assert.match(yield* refusal(good), /must appear in the headers chain/)
      yield* prepare(engine, recorded, 2)
      assert.match(yield* refusal(good.subarray(0, -1)), /truncated snapshot after deserializing 7 coins/)
      assert.match(yield* refusal(Buffer.concat([good, Buffer.of(0)])), /coins left over after deserializing 8/)
      const other = Buffer.from(good)
      other[good.length - 1]! ^= 1
      assert.match(yield* refusal(other), /Bad snapshot content hash: expected/)
      assert.match(yield* refusal(good.subarray(0, 50)), /AutoFile::read: end of file/)
      rmSync(bad)
      const missing = yield* Effect.flip(engine.call("loadCoins", { file: bad }))
      assert.strictEqual(missing._tag, "SnapshotNotOpened")
      assert.strictEqual(yield* otherCoins(engine), 0)
      yield* submit(engine, recorded, 2, BASE)
      const late = yield* Effect.flip(engine.call("loadCoins", { file: recorded.file }))
      assert.propertyVal(late, "cause", "Population failed: Work does not exceed active chainstate")
    }))

  it.live("does not let the chain go back behind it, nor another chain be the best, before it is confirmed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const engine = yield* loadingEngine(directory, recorded)
      yield* prepare(engine, recorded, 3)
      yield* engine.call("loadCoins", { file: recorded.file })
      const refused = yield* Effect.flip(engine.call("invalidateBlock", { hash: recorded.chain[1]!.node.hash }))
      assert.deepStrictEqual(refused, { _tag: "SnapshotNotConfirmed", height: BASE })
      for (const { bytes } of plantChain(plantedRoot(), TOP + 1, 50)) yield* engine.call("submitBlock", { bytes })
      assert.deepStrictEqual(heights(engine), { tip: BASE, behind: 3, assumed: BASE })
      yield* submit(engine, recorded, 3, BASE)
      assert.deepStrictEqual(heights(engine), { tip: TOP + 1, behind: undefined, assumed: undefined })
    }))

  it.live("is refused with pruning or an index, at the load and at the next start", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded, { options: { pruning: { _tag: "Manual" } } })
        yield* prepare(engine, recorded, 0)
        const error = yield* Effect.flip(engine.call("loadCoins", { file: recorded.file }))
        assert.match("cause" in error ? error.cause : "", /with pruning switched on/)
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        yield* prepare(engine, recorded, 0)
        yield* engine.call("loadCoins", { file: recorded.file })
      }))
      const error = yield* Effect.scoped(
        Effect.flip(loadingEngine(directory, recorded, { options: { transactionIndex: true } }))
      )
      assert.match(error.message, /is not confirmed yet, and the transaction index needs blocks/)
    }))
})

describe("a node with a snapshot", () => {
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
