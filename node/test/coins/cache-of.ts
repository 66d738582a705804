import * as Effect from "effect/Effect"
import type { CoinEviction } from "../../src/coins/eviction.ts"
import { makeCoinCache } from "../../src/coins/make-coin-cache.ts"
import { makeMemoryStore } from "../../src/storage/key-value/memory-store.ts"
import { outPoint, overlayOf, sampleCoin } from "./sample-coins.ts"

/** The numbers from one on, up to another. */
export const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

/** A cache over a store of its own, with the coins of numbers. */
export const cacheOf = (dbcacheBytes: number, now: () => number = () => 0, eviction?: CoinEviction) =>
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
