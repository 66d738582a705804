import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cacheOf, numbers } from "./cache-of.ts"
import { outPoint } from "./sample-coins.ts"

describe("bounds of the coin cache", () => {
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
