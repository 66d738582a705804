import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { CoinEviction } from "../../src/coins/eviction.ts"
import { makeCoinCache } from "../../src/coins/make-coin-cache.ts"
import { makeMemoryStore } from "../../src/storage/key-value/memory-store.ts"
import { outPoint, overlayOf, sampleCoin } from "./sample-coins.ts"

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

const cacheOf = (dbcacheBytes: number, now: () => number = () => 0, eviction?: CoinEviction) =>
  Effect.gen(function*() {
    const store = makeMemoryStore()
    const cache = yield* makeCoinCache(store, { dbcacheBytes, eviction, seed: 11, now })
    const create = (created: ReadonlyArray<number>, size = 25) =>
      cache.apply(overlayOf(cache, created.map((number) => [outPoint(number), sampleCoin(number, size)])))
    const spend = (spent: ReadonlyArray<number>) =>
      cache.apply(overlayOf(cache, spent.map((number) => [outPoint(number), undefined])))
    const commit = Effect.map(store.write(cache.writeChanges), cache.committed)
    /** How many of these had to be asked for. */
    const missesOf = (wanted: ReadonlyArray<number>) =>
      Effect.gen(function*() {
        const before = cache.statistics().misses
        yield* cache.prefetchCoins(wanted.map((number) => outPoint(number)))
        return cache.statistics().misses - before
      })
    return { cache, commit, create, missesOf, spend }
  })

describe("memory of the coin cache", () => {
  it.effect("what is evicted is used again, whatever the size of scripts", () =>
    Effect.gen(function*() {
      const { cache, commit, create, spend } = yield* cacheOf(50_000_000)
      const sizes = [25, 10_000, 36, 37, 300, 0]
      const round = (size: number) => {
        create(numbers(0, 50), size)
        spend(numbers(0, 50))
      }
      round(10_000)
      const first = cache.bytes()
      assert.isAtLeast(first, 50 * 10_000)
      for (let i = 0; i < 60; i++) round(sizes[i % sizes.length]!)
      assert.strictEqual(cache.bytes(), first)
      // Also when the coins were in the store, and one took the place of another.
      create([0], 0)
      yield* commit
      const second = cache.bytes()
      for (let i = 0; i < 12; i++) {
        create(numbers(0, 50), sizes[i % sizes.length]!)
        yield* commit
        create(numbers(0, 50), 10_000)
        spend(numbers(0, 50))
        yield* commit
      }
      assert.strictEqual(cache.bytes(), second)
    }))

  it.effect("stays within its budget, and what was evicted comes back from the store", () =>
    Effect.gen(function*() {
      const budget = 2_000_000
      const { cache, commit, create, missesOf } = yield* cacheOf(budget)
      for (let i = 0; i < 20; i++) {
        create(numbers(i * 3_000, (i + 1) * 3_000))
        if (cache.isFull()) yield* commit
      }
      yield* commit
      assert.isAtMost(cache.bytes(), budget * 1.2)
      assert.isAbove(yield* missesOf(numbers(0, 60_000)), 30_000)
      for (const number of numbers(0, 60_000)) {
        assert.deepStrictEqual(cache.coinAt(outPoint(number)), sampleCoin(number))
      }
    }))

  it.effect.each([undefined, "dynamic", "fifo"] as const)(
    "keeps the coins that are asked for, but not first in, first out (%s)",
    (eviction) =>
      Effect.gen(function*() {
        const { commit, create, missesOf } = yield* cacheOf(3_000_000, () => 0, eviction)
        const wanted = numbers(0, 1_000)
        create(numbers(0, 4_000))
        yield* commit
        let misses = 0
        for (let i = 0; i < 12; i++) {
          create(numbers(10_000 + i * 4_000, 10_000 + (i + 1) * 4_000))
          misses += yield* missesOf(wanted)
          yield* commit
        }
        assert.isAbove(yield* missesOf(numbers(1_000, 4_000)), 2_000)
        if (eviction === "fifo") assert.isAbove(misses, 3_500)
        else assert.isBelow(misses, 3_000)
      })
  )

  it.effect("is full when its memory is", () =>
    Effect.gen(function*() {
      const { cache, commit, create } = yield* cacheOf(2_000_000)
      let coins = 0
      while (!cache.isFull() && coins < 100_000) create(numbers(coins, coins += 1_000))
      // Coins that are not written yet take the memory for writing them as well.
      assert.isAbove(coins, 4_000)
      assert.isBelow(coins, 7_000)
      yield* commit
      assert.isFalse(cache.isFull())
    }))

  it.effect("has a Bloom filter only where a sixteenth of the memory has room for it", () =>
    Effect.gen(function*() {
      const mayBeStored = Effect.fnUntraced(function*(dbcacheBytes: number) {
        const { cache, commit, create } = yield* cacheOf(dbcacheBytes)
        create([1])
        yield* commit
        return [[1, 2].map((number) => cache.mayBeStored(outPoint(number).txid)), cache.bytes()]
      })
      // The smallest filter takes 128 KiB. Without one each look-up goes to the store.
      const others = 88 + 32_768 + 4_096
      assert.deepStrictEqual(yield* mayBeStored(16 * 128 * 1_024), [[true, false], others + 128 * 1_024])
      assert.deepStrictEqual(yield* mayBeStored(16 * 128 * 1_024 - 1), [[true, true], others])
    }))

  it.effect("is full sooner when the disk is slow", () =>
    Effect.gen(function*() {
      let milliseconds = 0
      const { cache, commit, create } = yield* cacheOf(400_000_000, () => milliseconds += 60_000)
      create(numbers(0, 30_000))
      yield* commit
      yield* commit
      create(numbers(30_000, 120_000))
      assert.isFalse(cache.isFull())
      // By memory and by what is the bound at first there is room for more.
      create(numbers(120_000, 200_000))
      assert.isTrue(cache.isFull())
    }))

  it.effect("is full with the first coin that fills it, each with what writing it takes", () =>
    Effect.gen(function*() {
      const budget = 2_000_000
      const { cache, create } = yield* cacheOf(budget)
      const sizes: Array<number> = []
      for (let coins = 1; !cache.isFull(); coins++) {
        create([coins])
        // A cell of 88 bytes, and 256 bytes while it is written.
        sizes.push(cache.bytes() + coins * 256)
      }
      assert.isAtLeast(sizes.at(-1)!, budget)
      assert.isBelow(sizes.at(-2)!, budget)
    }))

  it.effect("keeps as many coins as half of it holds when they are written", () =>
    Effect.gen(function*() {
      const [budget, coins] = [2_000_000, 12_000]
      const { cache, commit, create, missesOf } = yield* cacheOf(budget)
      create(numbers(0, coins))
      yield* commit
      const tables = cache.bytes() - coins * 88
      assert.strictEqual(yield* missesOf(numbers(0, coins)), coins - Math.floor((budget / 2 - tables) / 88))
    }))

  it.effect("is full with as many changes as the disk writes in time", () =>
    Effect.gen(function*() {
      let milliseconds = 0
      const { cache, commit, create } = yield* cacheOf(400_000_000, () => milliseconds += 1_000_000)
      // It learns of the slow disk down to the least bound.
      for (let i = 0; i < 4; i++) {
        create(numbers(i * 20_000, (i + 1) * 20_000))
        yield* commit
      }
      create(numbers(100_000, 149_999))
      assert.isFalse(cache.isFull())
      create([149_999])
      assert.isTrue(cache.isFull())
    }))

  it.effect("counts what is in memory, or elsewhere, as answered from memory", () =>
    Effect.gen(function*() {
      const { cache, commit, create } = yield* cacheOf(0)
      create([1])
      yield* commit
      const prefetch = (wanted: ReadonlyArray<number>, elsewhere = -1) =>
        cache.prefetchCoins(
          wanted.map((number) => outPoint(number)),
          ({ txid }) => Buffer.compare(txid, outPoint(elsewhere).txid) === 0
        )
      yield* prefetch([1, 2])
      const before = cache.statistics()
      assert.deepStrictEqual(before, { hits: 0, misses: 2 })
      yield* prefetch([1, 2, 3, 3], 3)
      assert.deepStrictEqual([cache.statistics(), before], [{ hits: 3, misses: 3 }, { hits: 0, misses: 2 }])
    }))

  it.effect("has an index that is large enough at once for a share of the coins that it has memory for", () =>
    Effect.gen(function*() {
      const sizeOf = (dbcacheBytes: number) => Effect.map(cacheOf(dbcacheBytes), ({ cache }) => cache.bytes())
      // One of 32 coins of 88 bytes; 4,096 places of 8 bytes hold 2,867.2 of them, and changes have 4 KiB.
      assert.deepStrictEqual(
        [yield* sizeOf(0), yield* sizeOf(8_074_035), yield* sizeOf(8_074_036)],
        [32_768 + 4_096, 32_768 + 4_096, 65_536 + 4_096]
      )
    }))
})
