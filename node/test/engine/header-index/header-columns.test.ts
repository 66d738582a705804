import { assert, describe, it } from "vitest"
import { growColumns, headerColumns, type HeaderColumns } from "../../../src/engine/header-index/header-columns.ts"

const lengthsOf = (columns: HeaderColumns): ReadonlyArray<number> => [
  ...new Set(Object.values(columns).map(({ length }) => length))
]

describe("the columns of headers", () => {
  it("grow together, twofold or to the entry, when it has no place, and keep what stands in them", () => {
    const columns = headerColumns()
    assert.deepStrictEqual(lengthsOf(columns), [1_024])
    const names = Object.keys(columns) as Array<keyof HeaderColumns>
    assert.lengthOf(names, 13)
    for (const [at, name] of names.entries()) columns[name][1_023] = at + 1
    growColumns(columns, 1_023)
    assert.deepStrictEqual(lengthsOf(columns), [1_024])
    growColumns(columns, 1_024)
    assert.deepStrictEqual(lengthsOf(columns), [2_048])
    growColumns(columns, 10_000)
    assert.deepStrictEqual(lengthsOf(columns), [10_001])
    for (const [at, name] of names.entries()) {
      assert.deepStrictEqual([columns[name][1_022], columns[name][1_023], columns[name][1_024]], [0, at + 1, 0])
    }
  })

  it("hold the largest numbers that they may have, and signs where there are any", () => {
    const columns = headerColumns()
    const most = 0xffff_ffff
    for (
      const name of [
        "blockFile",
        "blockOffset",
        "blockSize",
        "undoFile",
        "undoOffset",
        "undoSize",
        "transactions"
      ] as const
    ) {
      columns[name][0] = most
      assert.strictEqual(columns[name][0], most)
    }
    columns.chainTransactions[0] = 2 ** 40
    columns.sequence[0] = -5
    columns.status[0] = 255
    assert.deepStrictEqual([columns.chainTransactions[0], columns.sequence[0], columns.status[0]], [2 ** 40, -5, 255])
  })
})
