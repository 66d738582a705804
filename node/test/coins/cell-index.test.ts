import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addCell, cellArena, freeCell, Mark, setMarks } from "../../src/coins/cell-arena.ts"
import { cellIndex, findCell, indexCell, unindexCell } from "../../src/coins/cell-index.ts"
import { hashOutPoint } from "../../src/coins/outpoint-words.ts"

const SEED = Number(process.env.LOCKSTEP_SEED ?? Date.now()) | 0

const outPoint = (number: number) => {
  const txid = new Uint8Array(32)
  new DataView(txid.buffer).setUint32((number % 4) * 8, number >>> 3)
  return { txid, vout: number & 7 }
}

describe("cell index", () => {
  it("finds what was added and not taken out again, whatever the order", () => {
    // Small numbers of many outpoints, so that they meet in the table and it has to grow.
    const numbers = fc.array(fc.nat(4_000), { minLength: 3_000, maxLength: 9_000 })
    fc.assert(
      fc.property(numbers, fc.integer(), (toggled, seed) => {
        const arena = cellArena()
        const index = cellIndex(arena, seed)
        const model = new Map<number, number>()
        for (const number of toggled) {
          const cell = findCell(index, outPoint(number))
          assert.strictEqual(cell, model.get(number) ?? -1)
          if (cell >= 0) {
            unindexCell(index, cell)
            freeCell(arena, cell)
            model.delete(number)
            continue
          }
          const added = addCell(arena, outPoint(number))
          setMarks(arena, added, Mark.head)
          indexCell(index, outPoint(number), added)
          model.set(number, added)
        }
        assert.strictEqual(index.count, model.size)
        assert.strictEqual(arena.used, model.size)
        for (let number = 0; number <= 4_000; number++) {
          assert.strictEqual(findCell(index, outPoint(number)), model.get(number) ?? -1)
        }
      }),
      { seed: SEED, numRuns: 10 }
    )
  })

  it("has place for as many as were expected before it grows", () => {
    for (const expected of [0, 1, 3_000, 5_734, 5_735, 20_000]) {
      const arena = cellArena()
      const index = cellIndex(arena, SEED, expected)
      const { slots } = index
      for (let number = 0; number < expected; number++) {
        indexCell(index, outPoint(number), addCell(arena, outPoint(number)))
      }
      assert.strictEqual(index.slots, slots)
    }
  })

  it("is at most 70 % full of as many as were expected, and no larger than that takes", () => {
    const slotsFor = (expected: number): number => cellIndex(cellArena(), SEED, expected).slots.length / 2
    assert.deepStrictEqual([0, 2_867, 2_868, 5_734, 5_735].map(slotsFor), [4_096, 4_096, 8_192, 8_192, 16_384])
  })

  it("spreads outpoints that differ little, and by a seed that is not known before", () => {
    const arena = cellArena()
    const [one, other] = [cellIndex(arena, 1), cellIndex(arena, 2)]
    const slotsOf = ({ slots }: { readonly slots: Int32Array }) =>
      new Set(slots.filter((_, at) => at % 2 === 0).map((hash) => hash & 0xfff))
    for (let number = 0; number < 2_048; number++) {
      const cell = addCell(arena, outPoint(number))
      indexCell(one, outPoint(number), cell)
      indexCell(other, outPoint(number), cell)
    }
    // At random 1,611 of 4,096 places would be taken.
    assert.isAtLeast(slotsOf(one).size, 1_500)
    assert.notDeepEqual([...one.slots], [...other.slots])
  })

  it("distinguishes outpoints of the same hash", () => {
    const seen = new Map<number, number>()
    let [one, other] = [-1, -1]
    for (let number = 0; other < 0; number++) {
      const hash = hashOutPoint(1, outPoint(number))
      one = seen.get(hash) ?? -1
      if (one >= 0) other = number
      seen.set(hash, number)
    }
    const arena = cellArena()
    const index = cellIndex(arena, 1)
    const first = addCell(arena, outPoint(one))
    indexCell(index, outPoint(one), first)
    assert.deepStrictEqual([findCell(index, outPoint(one)), findCell(index, outPoint(other))], [first, -1])
    const second = addCell(arena, outPoint(other))
    indexCell(index, outPoint(other), second)
    assert.deepStrictEqual([findCell(index, outPoint(one)), findCell(index, outPoint(other))], [first, second])
    unindexCell(index, first)
    assert.deepStrictEqual([findCell(index, outPoint(one)), findCell(index, outPoint(other))], [-1, second])
  })
})
