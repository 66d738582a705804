import { assert, describe, it } from "@effect/vitest"
import { addCell, cellArena } from "../../src/coins/cell-arena.ts"
import { cellIndex, findCell, indexCell } from "../../src/coins/cell-index.ts"
import { cellPrefetch, prefetchCells } from "../../src/coins/prefetch-cells.ts"

const outPoint = (vout: number) => ({ txid: new Uint8Array(32).fill(7), vout })

describe("prefetchCells", () => {
  it("reads the cells of outpoints ahead, few or many, there or not, and stays the same", () => {
    const arena = cellArena()
    // By this seed: with others the cell of the last may stand behind that of another.
    const index = cellIndex(arena, 1)
    for (let number = 0; number < 300; number += 2) indexCell(index, outPoint(number), addCell(arena, outPoint(number)))
    const found = (): ReadonlyArray<number> =>
      Array.from({ length: 300 }, (_, number) => findCell(index, outPoint(number)))
    const before = found()
    const ahead = cellPrefetch()
    for (const many of [0, 1, 63, 64, 65, 300]) {
      prefetchCells(ahead, index, Array.from({ length: many }, (_, number) => outPoint(number)))
      // Of the last of them, the places say what was read: a cell where there is one.
      const [last, cell] = [many - 1, many === 0 ? -1 : before[many - 1]!]
      if (cell >= 0) assert.strictEqual(ahead.places[last % 64], cell, `${many}`)
    }
    assert.deepEqual(found(), before)
  })
})
