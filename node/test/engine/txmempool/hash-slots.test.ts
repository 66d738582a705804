import { assert, describe, it } from "vitest"
import { findSlot, hashSlots, putSlot, takeSlot } from "../../../src/engine/txmempool/hash-slots.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"

const find = (slots: ReturnType<typeof hashSlots>, hash: number, wanted: number) =>
  findSlot(slots, hash, (number) => number === wanted)

describe("a hash table of numbers", () => {
  it("has what was put in and not taken out, where many share a hash or a place", () => {
    const random = seededRandom(11)
    const slots = hashSlots()
    const model = new Map<number, number>()
    for (let step = 0; step < 6_000; step++) {
      const number = random.below(500)
      const known = model.get(number)
      if (known === undefined) {
        // Few hashes, some below zero, and some at the end of the table.
        const hash = [number % 5, -number, 250 + number % 9, 0x7fffffff - number][random.below(4)]!
        putSlot(slots, hash, number)
        model.set(number, hash)
      } else {
        takeSlot(slots, known, (each) => each === number)
        model.delete(number)
      }
      assert.strictEqual(slots.count, model.size)
    }
    for (const [number, hash] of model) {
      assert.strictEqual(find(slots, hash, number), number)
      assert.isUndefined(find(slots, hash + 1, number))
    }
    for (let number = 0; number < 500; number++) {
      if (!model.has(number)) assert.isUndefined(find(slots, number % 5, number))
    }
  })

  it("asks only about numbers of the same hash", () => {
    const slots = hashSlots()
    for (const [hash, number] of [[3, 10], [259, 11], [3, 12], [4, 13]] as const) putSlot(slots, hash, number)
    const asked: Array<number> = []
    assert.isUndefined(findSlot(slots, 3, (number) => (asked.push(number), false)))
    assert.deepStrictEqual(asked, [10, 12])
    takeSlot(slots, 3, () => false)
    takeSlot(slots, 99, () => true)
    assert.strictEqual(slots.count, 4)
  })

  it("doubles at seventy per cent", () => {
    const slots = hashSlots()
    const sizes: Array<number> = []
    for (let number = 0; number < 361; number++) {
      putSlot(slots, number * 7, number)
      sizes.push(slots.pairs.length / 2)
    }
    assert.deepStrictEqual([sizes[178], sizes[179], sizes[180], sizes[358], sizes[359]], [256, 256, 512, 512, 1_024])
    for (let number = 0; number < 361; number++) assert.strictEqual(find(slots, number * 7, number), number)
  })
})
