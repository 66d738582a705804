import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { encodeCoin } from "../../src/coins/coin-codec.ts"
import { coinKey } from "../../src/coins/coin-key.ts"
import { makeCoinCache } from "../../src/coins/make-coin-cache.ts"
import type { KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { makeMemoryStore } from "../../src/storage/key-value/memory-store.ts"
import { outPoint, overlayOf, sampleCoin } from "./sample-coins.ts"

/** A cache over a store with coin 1, which does `meanwhile` once, after it has read and before it answers. */
const setUp = Effect.gen(function*() {
  const store = makeMemoryStore()
  yield* store.write((batch) => batch.put(coinKey(outPoint(1)), encodeCoin(sampleCoin(1))))
  const asked: Array<ReadonlyArray<Uint8Array>> = []
  let meanwhile: Effect.Effect<void> = Effect.void
  const slow: KeyValueStore = {
    ...store,
    getMany: (keys) =>
      Effect.gen(function*() {
        asked.push(keys)
        const answers = yield* store.getMany(keys)
        const now = meanwhile
        meanwhile = Effect.void
        yield* now
        return answers
      })
  }
  const cache = yield* makeCoinCache(slow, { dbcacheBytes: 8_000_000 })
  const commit = Effect.map(store.write(cache.writeChanges), cache.committed)
  return { asked, cache, commit, store, doMeanwhile: (effect: Effect.Effect<void>) => meanwhile = effect }
})

describe("gathering coins", () => {
  it.effect("asks the store for each coin once, in key order, and never for what is in memory", () =>
    Effect.gen(function*() {
      const { asked, cache } = yield* setUp
      const wanted = Array.from({ length: 40 }, (_, i) => outPoint(i % 10, i % 20))
      yield* cache.prefetchCoins([outPoint(1)])
      yield* cache.prefetchCoins([...wanted, outPoint(1), ...wanted])
      const keys = asked[1]!.map((key) => Buffer.from(key).toString("hex"))
      assert.deepStrictEqual(
        keys,
        [...new Set(wanted.map((outpoint) => Buffer.from(coinKey(outpoint)).toString("hex")))].sort()
      )
    }))

  it.effect("asks the caller about coins that are not in memory, and the store about coins that are nowhere else", () =>
    Effect.gen(function*() {
      const { asked, cache } = yield* setUp
      yield* cache.prefetchCoins([outPoint(1)])
      const doubted: Array<number> = []
      yield* cache.prefetchCoins(
        [outPoint(1), outPoint(2, 3), outPoint(4, 5)],
        ({ vout }) => doubted.push(vout) > 0 && vout === 5
      )
      assert.deepStrictEqual(doubted, [3, 5])
      assert.deepStrictEqual(asked[1], [coinKey(outPoint(2, 3))])
    }))

  it.effect("asks for nothing in a store that was empty and got nothing", () =>
    Effect.gen(function*() {
      const store = makeMemoryStore()
      const cache = yield* makeCoinCache({ ...store, getMany: () => Effect.die("asked") }, { dbcacheBytes: 8_000_000 })
      yield* cache.prefetchCoins([outPoint(1), outPoint(2, 3)])
      cache.apply(overlayOf(cache, [[outPoint(5), sampleCoin(5)]]))
      yield* store.write(cache.writeChanges)
      cache.committed()
      yield* cache.prefetchCoins([outPoint(1), outPoint(2, 3)])
      const exit = yield* Effect.exit(cache.prefetchCoins([outPoint(5, 1)]))
      assert.strictEqual(exit._tag, "Failure")
    }))

  it.effect("a coin that another block brought and spent meanwhile does not come back", () =>
    Effect.gen(function*() {
      const { cache, commit, doMeanwhile } = yield* setUp
      doMeanwhile(Effect.orDie(Effect.map(cache.prefetchCoins([outPoint(1)]), () =>
        cache.apply(overlayOf(cache, [[outPoint(1), undefined]])))))
      yield* cache.prefetchCoins([outPoint(1)])
      assert.isUndefined(cache.coinAt(outPoint(1)))
      assert.strictEqual(cache.changes(), 1)
      yield* commit
      assert.isUndefined(cache.coinAt(outPoint(1)))
    }))

  it.effect("a coin whose spending was committed meanwhile does not come back", () =>
    Effect.gen(function*() {
      const { cache, commit, doMeanwhile } = yield* setUp
      doMeanwhile(Effect.orDie(Effect.gen(function*() {
        yield* cache.prefetchCoins([outPoint(1)])
        cache.apply(overlayOf(cache, [[outPoint(1), undefined]]))
        yield* commit
      })))
      yield* cache.prefetchCoins([outPoint(1)])
      assert.isUndefined(cache.coinAt(outPoint(1)))
    }))

  it.effect("a store that cannot be read is an error, and the next time it is asked again", () =>
    Effect.gen(function*() {
      const { cache, doMeanwhile, store } = yield* setUp
      yield* store.close
      doMeanwhile(Effect.void)
      const error = yield* Effect.flip(cache.prefetchCoins([outPoint(1)]))
      assert.strictEqual(error._tag, "StorageError")
      assert.isUndefined(cache.coinAt(outPoint(1)))
    }))
})
