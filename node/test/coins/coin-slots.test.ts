import { assert, describe, it } from "@effect/vitest"
import { CLEAN, Mark, marksOf } from "../../src/coins/cell-arena.ts"
import { findCell } from "../../src/coins/cell-index.ts"
import {
  setCoin,
  coinOf,
  type CoinSlots,
  coinSlots,
  dirtyCells,
  loadCoin,
  markFlushed
} from "../../src/coins/coin-slots.ts"

const outPoint = (n: number) => {
  const txid = new Uint8Array(32)
  new DataView(txid.buffer).setUint32(4, n)
  return { txid, vout: n & 3 }
}

const coin = (n: number) => ({ value: BigInt(n), script: Uint8Array.of(n & 255), height: n, isCoinbase: false })

const STATE = Mark.exists | Mark.stored | Mark.clean

/** The state of a coin in memory; none: nothing is known of it. */
const stateOf = (slots: CoinSlots, n: number): number | undefined => {
  const cell = findCell(slots.index, outPoint(n))
  return cell < 0 ? undefined : marksOf(slots.arena, cell) & STATE
}

/** A coin that the store has. */
const stored = (slots: CoinSlots, n: number): void => {
  slots.numbers.code = 2 * n
  slots.numbers.value = n
  loadCoin(slots, outPoint(n), Uint8Array.of(9, 9, n & 255), 2)
}

const dirtyOf = (slots: CoinSlots): ReadonlyArray<number> => [...dirtyCells(slots)].toSorted((a, b) => a - b)

describe("coins in memory", () => {
  it("are fresh when they are new, and leave nothing behind when they are spent before a flush", () => {
    const slots = coinSlots(1)
    setCoin(slots, outPoint(5), coin(5))
    assert.strictEqual(stateOf(slots, 5), Mark.exists)
    assert.deepStrictEqual(coinOf(slots, outPoint(5)), coin(5))
    assert.deepStrictEqual([slots.changes, dirtyOf(slots).length, slots.version], [1, 1, 1])
    setCoin(slots, outPoint(5), undefined)
    assert.isUndefined(stateOf(slots, 5))
    assert.deepStrictEqual([slots.changes, dirtyOf(slots).length, slots.arena.used, slots.version], [0, 0, 0, 2])
    // Its cell is still listed: the next one in it is listed once.
    setCoin(slots, outPoint(6), coin(6))
    assert.deepStrictEqual([slots.changes, dirtyOf(slots).length, slots.dirtyCount], [1, 1, 1])
    setCoin(slots, outPoint(7), undefined)
    assert.isUndefined(stateOf(slots, 7))
    assert.strictEqual(slots.version, 4)
  })

  it("are spent in the store with the next flush when it has them, and clean again when they come back as they were", () => {
    const slots = coinSlots(1)
    stored(slots, 5)
    assert.strictEqual(stateOf(slots, 5), CLEAN)
    assert.deepStrictEqual([slots.changes, dirtyOf(slots).length], [0, 0])
    setCoin(slots, outPoint(5), undefined)
    assert.strictEqual(stateOf(slots, 5), Mark.stored | Mark.clean)
    assert.isUndefined(coinOf(slots, outPoint(5)))
    assert.deepStrictEqual([slots.changes, dirtyOf(slots).length], [1, 1])
    setCoin(slots, outPoint(5), undefined)
    assert.strictEqual(slots.changes, 1)
    setCoin(slots, outPoint(5), coin(5))
    assert.strictEqual(stateOf(slots, 5), CLEAN)
    assert.deepStrictEqual([slots.changes, dirtyOf(slots).length], [0, 0])
    setCoin(slots, outPoint(5), { ...coin(5), height: 6 })
    assert.strictEqual(stateOf(slots, 5), Mark.exists | Mark.stored)
    assert.deepStrictEqual([slots.changes, dirtyOf(slots).length, slots.dirtyCount], [1, 1, 1])
    assert.strictEqual(coinOf(slots, outPoint(5))?.height, 6)
  })

  it("are clean after a flush, or gone when they were spent", () => {
    const slots = coinSlots(1)
    stored(slots, 1)
    stored(slots, 2)
    stored(slots, 3)
    setCoin(slots, outPoint(1), undefined)
    setCoin(slots, outPoint(2), coin(20))
    setCoin(slots, outPoint(4), coin(4))
    assert.deepStrictEqual([slots.changes, slots.arena.used], [3, 4])
    markFlushed(slots)
    assert.deepStrictEqual([1, 2, 3, 4].map((n) => stateOf(slots, n)), [undefined, CLEAN, CLEAN, CLEAN])
    assert.deepStrictEqual([slots.changes, slots.dirtyCount, dirtyOf(slots).length, slots.arena.used], [0, 0, 0, 3])
    // They are listed anew when they change again.
    setCoin(slots, outPoint(4), undefined)
    assert.deepStrictEqual([slots.changes, dirtyOf(slots).length], [1, 1])
    markFlushed(slots)
    assert.isUndefined(stateOf(slots, 4))
  })

  it("are all known as changed, however many there are", () => {
    const slots = coinSlots(1)
    const count = 5_000
    for (let n = 0; n < count; n++) setCoin(slots, outPoint(n), coin(n))
    const cells = dirtyOf(slots)
    assert.deepStrictEqual([slots.changes, cells.length, new Set(cells).size], [count, count, count])
    for (let n = 0; n < count; n += 2) setCoin(slots, outPoint(n), undefined)
    assert.deepStrictEqual([slots.changes, dirtyOf(slots).length], [count / 2, count / 2])
    markFlushed(slots)
    assert.deepStrictEqual([slots.changes, slots.arena.used], [0, count / 2])
    for (let n = 1; n < count; n += 2) assert.strictEqual(stateOf(slots, n), CLEAN)
  })

  it("are warm when they were asked for", () => {
    const slots = coinSlots(1)
    stored(slots, 1)
    const cell = findCell(slots.index, outPoint(1))
    assert.strictEqual(marksOf(slots.arena, cell) & Mark.warm, Mark.warm)
    const asked = coinOf(slots, outPoint(1))
    assert.deepStrictEqual(asked, { value: 1n, script: Uint8Array.of(1), height: 1, isCoinbase: false })
    assert.isUndefined(coinOf(slots, outPoint(2)))
  })
})
