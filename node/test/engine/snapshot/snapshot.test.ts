import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { plantChain, plantedRoot } from "../planted-blocks.ts"
import {
  BASE,
  coinsOf,
  heights,
  indexingEngine,
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
      const unreadable = yield* Effect.flip(engine.call("loadCoins", { file: directory }))
      assert.strictEqual("cause" in unreadable && unreadable.cause, yield* refusal(new Uint8Array()))
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

  it.live("is confirmed by a chain behind it that first goes back to where it had forked off", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        yield* prepare(engine, recorded, 3)
        const branch = plantChain(recorded.chain[2]!.node, 4, 77)
        for (const { bytes } of branch) yield* engine.call("submitBlock", { bytes })
        assert.strictEqual(engine.chain.tree.tip.height, 7)
        yield* engine.call("loadCoins", { file: recorded.file })
        assert.deepStrictEqual(heights(engine), { tip: BASE, behind: 7, assumed: BASE })
        yield* submit(engine, recorded, 3, 5)
        assert.deepStrictEqual(heights(engine), { tip: BASE, behind: 5, assumed: BASE })
      }))
      const engine = yield* loadingEngine(directory, recorded)
      assert.deepStrictEqual(heights(engine), { tip: BASE, behind: 5, assumed: BASE })
      yield* submit(engine, recorded, 5, BASE)
      yield* submit(engine, recorded, BASE, TOP)
      assert.deepStrictEqual(heights(engine), { tip: TOP, behind: undefined, assumed: undefined })
      assert.strictEqual(yield* coinsOf(engine), recorded.top)
    }))

  it.live("is loaded beside every index, which follow the chain behind it and then the chain on top, over restarts", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const options = {
        pruning: { _tag: "Manual" },
        transactionIndex: true,
        spenderIndex: true,
        coinStatisticsIndex: true,
        blockFilterIndex: true
      } as const
      type Engine = Effect.Success<ReturnType<typeof indexingEngine>>
      /** Waits until all indexes have seen the chain up to a height. */
      const indexed = Effect.fnUntraced(function*(engine: Engine, height: number) {
        for (let tries = 0; tries < 400; tries++) {
          const found = yield* engine.call("indexes", undefined)
          assert.isTrue(found.every(({ lacksBlocks }) => !lacksBlocks), "an index waits, and is not stuck")
          if (found.every(({ bestBlockHeight }) => bestBlockHeight === height)) return found
          yield* Effect.sleep("25 millis")
        }
        return assert.fail(`not all indexes are at ${height}`)
      })
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* indexingEngine(directory, recorded, options)
        yield* prepare(engine, recorded, 3)
        yield* engine.call("loadCoins", { file: recorded.file })
        yield* submit(engine, recorded, BASE, TOP - 1)
        assert.isTrue((yield* indexed(engine, 3)).every(({ synced }) => !synced))
        yield* submit(engine, recorded, 3, 5)
        yield* indexed(engine, 5)
        // Blocks of both chains are in files of their own.
        assert.strictEqual(engine.chain.files.info().length, 2)
      }))
      const engine = yield* indexingEngine(directory, recorded, options)
      assert.deepStrictEqual(heights(engine), { tip: TOP - 1, behind: 5, assumed: BASE })
      yield* indexed(engine, 5)
      yield* submit(engine, recorded, 5, BASE)
      yield* submit(engine, recorded, TOP - 1, TOP)
      assert.isTrue((yield* indexed(engine, TOP)).every(({ synced }) => synced))
      assert.deepStrictEqual(heights(engine), { tip: TOP, behind: undefined, assumed: undefined })
    }))
})
