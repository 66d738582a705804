import { assert, describe, it } from "@effect/vitest"
import type { Coin } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import { decodeCoin, encodeCoin } from "../../src/coins/coin-codec.ts"
import { coinKey } from "../../src/coins/coin-key.ts"
import { makeCoinCache } from "../../src/coins/make-coin-cache.ts"
import { makeMemoryStore } from "../../src/storage/key-value/memory-store.ts"
import { outPoint as at, overlayOf, reverseOf, sampleCoin as coin } from "./sample-coins.ts"

const budget = { dbcacheBytes: 8_000_000 }

/** What may differ between two coins. */
const OTHERS: ReadonlyArray<readonly [what: string, other: Partial<Coin>]> = [
  ["value", { value: 1n }],
  ["value beyond 32 bits", { value: coin(1).value + 0x1_0000_0000n }],
  ["height", { height: 9 }],
  ["coinbase mark", { isCoinbase: false }],
  ["script", { script: coin(2).script }],
  ["length of the script", { script: coin(1, 24).script }]
]

const setUp = Effect.gen(function*() {
  const store = makeMemoryStore()
  yield* store.write((batch) => batch.put(coinKey(at(1)), encodeCoin(coin(1))))
  const cache = yield* makeCoinCache(store, budget)
  const commit = Effect.map(store.write(cache.writeChanges), cache.committed)
  const stored = (number: number) =>
    Effect.map(store.get(coinKey(at(number))), (bytes) => bytes === undefined ? undefined : decodeCoin(bytes))
  const change = (...changes: ReadonlyArray<readonly [number, Coin | undefined]>) => {
    const made = overlayOf(cache, changes.map(([number, after]) => [at(number), after]))
    cache.apply(made)
    return made
  }
  return { cache, change, commit, store, stored }
})

describe("coin cache", () => {
  it.effect("a stored coin is there once it was gathered, whole and with its own bytes", () =>
    Effect.gen(function*() {
      const { cache } = yield* setUp
      assert.isUndefined(cache.coinAt(at(1)))
      yield* cache.prefetchCoins([at(1), at(1), at(2)])
      assert.deepStrictEqual(cache.coinAt(at(1)), coin(1))
      cache.coinAt(at(1))!.script.fill(0)
      assert.deepStrictEqual(cache.coinAt(at(1)), coin(1))
      assert.isUndefined(cache.coinAt(at(2)))
      assert.isUndefined(cache.coinAt(at(1, 1)))
      assert.deepStrictEqual(cache.statistics(), { hits: 0, misses: 3 })
      assert.strictEqual(cache.changes(), 0)
    }))

  it.effect("a coin that is spent before it was written is never written", () =>
    Effect.gen(function*() {
      const { cache, change, store } = yield* setUp
      change([5, coin(5)])
      assert.strictEqual(cache.changes(), 1)
      change([5, undefined])
      assert.strictEqual(cache.changes(), 0)
      yield* store.write(() => cache.writeChanges({ put: () => assert.fail(), remove: () => assert.fail() }))
    }))

  it.effect("what was spent is gone from the store, what was created is in it", () =>
    Effect.gen(function*() {
      const { cache, change, commit, stored } = yield* setUp
      yield* cache.prefetchCoins([at(1)])
      change([1, undefined], [3, coin(3)])
      assert.isUndefined(cache.coinAt(at(1)))
      assert.strictEqual(cache.changes(), 2)
      yield* commit
      assert.strictEqual(cache.changes(), 0)
      assert.isUndefined(yield* stored(1))
      assert.deepStrictEqual(yield* stored(3), coin(3))
      yield* cache.prefetchCoins([at(1)])
      assert.isUndefined(cache.coinAt(at(1)))
      change([3, undefined])
      yield* commit
      assert.isUndefined(yield* stored(3))
    }))

  it.effect("a stored coin that came back as another one and is spent is gone from the store", () =>
    Effect.gen(function*() {
      for (const [what, other] of OTHERS) {
        const { cache, change, commit, stored } = yield* setUp
        yield* cache.prefetchCoins([at(1)])
        change([1, undefined])
        change([1, { ...coin(1), ...other }])
        assert.strictEqual(cache.changes(), 1, what)
        change([1, undefined])
        assert.strictEqual(cache.changes(), 1, what)
        yield* commit
        assert.isUndefined(yield* stored(1), what)
      }
    }))

  it.effect("a stored coin that was replaced without being spent is gone from the store when it is spent", () =>
    Effect.gen(function*() {
      const { cache, change, commit, stored } = yield* setUp
      yield* cache.prefetchCoins([at(1)])
      change([1, coin(2)])
      yield* commit
      assert.deepStrictEqual(yield* stored(1), coin(2))
      change([1, coin(3)])
      change([1, undefined])
      yield* commit
      assert.isUndefined(yield* stored(1))
    }))

  it.effect("a coin that was written counts as stored: spent, changed or back as it was", () =>
    Effect.gen(function*() {
      const { cache, change, commit, stored } = yield* setUp
      change([5, coin(5)], [6, coin(6)], [7, coin(7)])
      yield* commit
      change([5, undefined], [6, undefined], [7, undefined])
      change([6, coin(6)], [7, coin(8)])
      assert.strictEqual(cache.changes(), 2)
      yield* commit
      assert.deepStrictEqual([yield* stored(5), yield* stored(6), yield* stored(7)], [undefined, coin(6), coin(8)])
      change([7, undefined])
      yield* commit
      assert.isUndefined(yield* stored(7))
    }))

  it.effect("a new coin that became another one before it was written, and is spent, is never written", () =>
    Effect.gen(function*() {
      for (const [what, other] of OTHERS) {
        const { cache, change, store } = yield* setUp
        change([5, coin(1)])
        change([5, { ...coin(1), ...other }])
        change([5, undefined])
        assert.strictEqual(cache.changes(), 0, what)
        yield* store.write(() => cache.writeChanges({ put: () => assert.fail(what), remove: () => assert.fail(what) }))
      }
    }))

  it.effect("an overlay taken back leaves nothing to write", () =>
    Effect.gen(function*() {
      const { cache, change } = yield* setUp
      yield* cache.prefetchCoins([at(1)])
      const first = change([1, undefined], [2, coin(2, 300)])
      const second = change([1, coin(1)], [2, undefined])
      const third = change([1, undefined], [2, coin(4)])
      assert.deepStrictEqual(cache.coinAt(at(2)), coin(4))
      cache.apply(reverseOf(cache, third))
      cache.apply(reverseOf(cache, second))
      assert.deepStrictEqual(cache.coinAt(at(2)), coin(2, 300))
      cache.apply(reverseOf(cache, first))
      assert.deepStrictEqual(cache.coinAt(at(1)), coin(1))
      assert.isUndefined(cache.coinAt(at(2)))
      assert.strictEqual(cache.changes(), 0)
    }))

  it.effect("a coin put in place of another one is written, also when the first comes back", () =>
    Effect.gen(function*() {
      const { cache, change, commit, stored } = yield* setUp
      yield* cache.prefetchCoins([at(1)])
      const replacing = change([1, coin(9)])
      cache.apply(reverseOf(cache, replacing))
      assert.deepStrictEqual(cache.coinAt(at(1)), coin(1))
      change([1, coin(9, 10_000)])
      yield* commit
      assert.deepStrictEqual(yield* stored(1), coin(9, 10_000))
    }))

  it.effect("changes that were not written cannot be taken for written", () =>
    Effect.gen(function*() {
      const { cache, change, store } = yield* setUp
      change([7, coin(7)])
      yield* store.write(cache.writeChanges)
      change([8, coin(8)])
      assert.throws(() => cache.committed(), /coins changed/)
    }))

  it.effect.each(OTHERS)("a coin that comes back with another %s is written", ([, other]) =>
    Effect.gen(function*() {
      const { cache, change, commit, stored } = yield* setUp
      yield* cache.prefetchCoins([at(1)])
      change([1, undefined])
      change([1, { ...coin(1), ...other }])
      assert.deepStrictEqual(cache.coinAt(at(1)), { ...coin(1), ...other })
      assert.strictEqual(cache.changes(), 1)
      yield* commit
      assert.deepStrictEqual(yield* stored(1), { ...coin(1), ...other })
    }))

  it.effect("what came back as it was is not written with the rest", () =>
    Effect.gen(function*() {
      const { cache, change, store } = yield* setUp
      yield* cache.prefetchCoins([at(1)])
      cache.apply(reverseOf(cache, change([1, undefined])))
      change([2, coin(2)], [3, coin(3)])
      const keys: Array<string> = []
      const note = (key: Uint8Array) => void keys.push(Buffer.from(key).toString("hex"))
      yield* store.write(() => cache.writeChanges({ put: note, remove: note }))
      assert.deepStrictEqual(
        keys,
        [at(2), at(3)].map((outpoint) => Buffer.from(coinKey(outpoint)).toString("hex")).sort()
      )
    }))

  it.effect("a coin whose bytes are none is an error that names it", () =>
    Effect.gen(function*() {
      const { cache, store } = yield* setUp
      yield* store.write((batch) => batch.put(coinKey(at(6, 258)), Uint8Array.of(0x80, 0x80)))
      const error = yield* Effect.flip(cache.prefetchCoins([at(6, 258)]))
      assert.strictEqual(error.reason, "corrupt")
      assert.include(error.message, `${Buffer.from(at(6).txid).reverse().toString("hex")}:258`)
    }))
})
