import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeCoinCache } from "../../src/coins/make-coin-cache.ts"
import { switchedCoins } from "../../src/coins/switched-coins.ts"
import { makeMemoryStore } from "../../src/storage/key-value/memory-store.ts"
import { outPoint, overlayOf, sampleCoin } from "./sample-coins.ts"

describe("a coins cache that can be replaced", () => {
  it.effect("is the first one until then, and the next one in everything afterwards", () =>
    Effect.gen(function*() {
      const stores = [makeMemoryStore(), makeMemoryStore()] as const
      const open = (store: typeof stores[0], dbcacheBytes: number) => makeCoinCache(store, { dbcacheBytes, seed: 1 })
      const first = yield* open(stores[0], 4_000_000)
      const second = yield* open(stores[1], 0)
      const coins = switchedCoins(first)
      const isSame = (cache: typeof first) => {
        assert.deepStrictEqual(
          [coins.changes(), coins.bytes(), coins.isFull(), coins.statistics()],
          [cache.changes(), cache.bytes(), cache.isFull(), cache.statistics()]
        )
        for (const number of [1, 2, 3]) {
          assert.deepStrictEqual(coins.coinAt(outPoint(number)), cache.coinAt(outPoint(number)))
          const { txid } = outPoint(number)
          assert.strictEqual(coins.mayBeStored(txid), cache.mayBeStored(txid))
        }
      }
      const use = Effect.fnUntraced(function*(number: number, cache: typeof first, store: typeof stores[0]) {
        coins.apply(overlayOf(coins, [[outPoint(number), sampleCoin(number)]]))
        assert.strictEqual(cache.changes(), 1)
        isSame(cache)
        yield* store.write(coins.writeChanges)
        coins.committed()
        assert.strictEqual(cache.changes(), 0)
        const asked: Array<unknown> = []
        yield* coins.prefetchCoins([outPoint(3, number)], (outpoint) => asked.push(outpoint) === 0)
        isSame(cache)
        return asked
      })
      assert.deepStrictEqual(yield* use(1, first, stores[0]), [])
      coins.switchTo(second)
      // Without a Bloom filter each look-up is one of the store's.
      assert.isTrue(coins.isFull())
      assert.deepStrictEqual(yield* use(2, second, stores[1]), [outPoint(3, 2)])
      assert.deepStrictEqual([first.statistics().misses, second.statistics().misses], [0, 1])
    }))
})
