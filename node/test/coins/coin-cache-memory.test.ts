import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cacheOf, numbers } from "./cache-of.ts"
import { outPoint, sampleCoin } from "./sample-coins.ts"

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
})
