import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { activeStore, cacheIn, openChainstates } from "../../../src/engine/state/chainstates.ts"
import { COINS_RECORD_KEY, encodeCoinsRecord } from "../../../src/engine/state/coins-record.ts"
import type { CoinCache } from "../../../src/coins/coin-cache.ts"
import { encodeCoin } from "../../../src/coins/coin-codec.ts"
import { coinKey } from "../../../src/coins/coin-key.ts"
import { batchIn } from "../../../src/coins/coin-space.ts"
import { KeySpace } from "../../../src/storage/key-space.ts"
import { makeMemoryStore } from "../../../src/storage/key-value/memory-store.ts"
import { outPoint, overlayOf, sampleCoin } from "../../coins/sample-coins.ts"

const OPTIONS = { dbcacheBytes: 2_000_000, coinEviction: "dynamic" } as const

/** As many coins as a cache takes before it is full, in hundreds. */
const roomOf = (cache: CoinCache): number => {
  for (let hundreds = 0;; hundreds++) {
    if (cache.isFull()) return hundreds
    const numbers = Array.from({ length: 100 }, (_, i) => hundreds * 100 + i)
    cache.apply(overlayOf(cache, numbers.map((number) => [outPoint(number), sampleCoin(number)])))
  }
}

describe("the sets of coins", () => {
  it.effect("share the memory half and half where there are two", () =>
    Effect.gen(function*() {
      const room = (dbcacheBytes: number, isShared: boolean) =>
        Effect.map(cacheIn(makeMemoryStore(), KeySpace.coin, { ...OPTIONS, dbcacheBytes }, isShared), roomOf)
      const [alone, half] = [yield* room(4_000_000, false), yield* room(2_000_000, false)]
      assert.strictEqual(yield* room(4_000_000, true), half)
      assert.isAbove(alone, half * 1.5)
    }))

  it.effect("are one in the first place where the store says nothing else", () =>
    Effect.gen(function*() {
      const whole = makeMemoryStore()
      const { atStart, hasLeftover, active, isRecorded } = yield* openChainstates(whole, OPTIONS)
      assert.deepStrictEqual([active, hasLeftover, isRecorded, atStart], [KeySpace.coin, false, false, undefined])
    }))

  it.effect("are as the last run left them: which is in use, and the one behind it", () =>
    Effect.gen(function*() {
      const whole = makeMemoryStore()
      const [base, tip] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
      const record = { active: KeySpace.secondCoin, hasLeftover: false, background: { base, tip } }
      yield* whole.write((batch) => {
        batch.put(COINS_RECORD_KEY, encodeCoinsRecord(record))
        batch.put(coinKey(outPoint(1)), encodeCoin(sampleCoin(1)))
        batchIn(batch, KeySpace.secondCoin).put(coinKey(outPoint(2)), encodeCoin(sampleCoin(2)))
      })
      const states = yield* openChainstates(whole, OPTIONS)
      assert.deepStrictEqual([states.active, states.isRecorded, states.atStart?.base, states.atStart?.tip], [
        KeySpace.secondCoin,
        true,
        base,
        tip
      ])
      const both = [outPoint(1), outPoint(2)]
      for (const cache of [states.coins, states.atStart!.coins]) yield* cache.prefetchCoins(both)
      const found = (cache: CoinCache) => both.map((each) => cache.coinAt(each)?.height)
      assert.deepStrictEqual([found(states.coins), found(states.atStart!.coins)], [[undefined, 2], [1, undefined]])
      const store = activeStore(states)
      assert.isDefined(yield* store.get(coinKey(outPoint(2))))
      assert.isUndefined(yield* store.get(coinKey(outPoint(1))))
      states.active = KeySpace.coin
      assert.isDefined(yield* store.get(coinKey(outPoint(1))))
      // Each of the two has half of the memory.
      const alone = roomOf(
        yield* cacheIn(makeMemoryStore(), KeySpace.coin, { ...OPTIONS, dbcacheBytes: 1_000_000 }, false)
      )
      assert.deepStrictEqual([roomOf(states.coins), roomOf(states.atStart!.coins)], [alone, alone])
    }))

  it.effect("are not guessed where the record of them is damaged", () =>
    Effect.gen(function*() {
      const whole = makeMemoryStore()
      yield* whole.write((batch) => batch.put(COINS_RECORD_KEY, Uint8Array.of(9)))
      const error = yield* Effect.flip(openChainstates(whole, OPTIONS))
      assert.deepStrictEqual([error.reason, error.part], ["corrupt", "key-value"])
      assert.include(error.message, "Run `lockstep rebuild`")
    }))
})
