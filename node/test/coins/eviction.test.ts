import { assert, describe, it } from "@effect/vitest"
import { coinOf, type CoinSlots, coinSlots, loadCoin } from "../../src/coins/coin-slots.ts"
import { evict } from "../../src/coins/eviction.ts"

const outPoint = (n: number) => ({ txid: new Uint8Array(32).fill(n), vout: n })

/** Clean coins 0 to `count` − 1, in cells of these numbers; each was looked up when it was loaded. */
const loaded = (count: number): CoinSlots => {
  const slots = coinSlots(1)
  for (let n = 0; n < count; n++) loadCoin(slots, outPoint(n), Uint8Array.of(n), 0)
  return slots
}

/** Which coins are here. Asking makes each of them warm. */
const left = (slots: CoinSlots, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, n) => n).filter((n) => coinOf(slots, outPoint(n)) !== undefined)

describe("a cache that is full", () => {
  it("lets coins go in the order of their cells, however often they are asked for, and goes on where it stopped", () => {
    const slots = loaded(10)
    const hand = { hand: 0 }
    evict(slots, hand, 7, "fifo")
    assert.deepStrictEqual(left(slots, 10), [3, 4, 5, 6, 7, 8, 9])
    evict(slots, hand, 7, "fifo")
    assert.deepStrictEqual(hand, { hand: 3 })
    loadCoin(slots, outPoint(20), Uint8Array.of(1), 0)
    evict(slots, hand, 6, "fifo")
    assert.deepStrictEqual(left(slots, 10), [5, 6, 7, 8, 9])
    assert.isDefined(coinOf(slots, outPoint(20)))
  })

  it("spares once what was asked for since it came by", () => {
    const slots = loaded(10)
    const hand = { hand: 0 }
    // All of them were: in the second round none is spared.
    evict(slots, hand, 8, "dynamic")
    assert.deepStrictEqual([slots.arena.used, hand.hand], [8, 2])
    for (const n of [2, 4, 5]) assert.isDefined(coinOf(slots, outPoint(n)))
    evict(slots, hand, 5, "dynamic")
    assert.deepStrictEqual(hand, { hand: 8 })
    assert.deepStrictEqual(left(slots, 10), [2, 4, 5, 8, 9])
  })

  it("is emptied when it has to be, and one that is empty stays so", () => {
    for (const eviction of ["fifo", "dynamic"] as const) {
      const slots = loaded(10)
      evict(slots, { hand: 0 }, -5, eviction)
      assert.deepStrictEqual([slots.arena.used, slots.index.count, left(slots, 10)], [0, 0, []])
      evict(slots, { hand: 0 }, 0, eviction)
      evict(coinSlots(1), { hand: 0 }, 0, eviction)
    }
  })
})
