import { assert, describe, it } from "vitest"
import type { TxHandle } from "@lockstep/txgraph"
import { entryColumns, compareTxids, hashAt, reachHandle } from "../../../src/engine/txmempool/entry-columns.ts"
import { indexSpent, spenderOf, spentIndex, unindexSpent } from "../../../src/engine/txmempool/spent-index.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"

const outpoint = (number: number, vout = number % 7) => ({
  txid: Uint8Array.from({ length: 32 }, (_, at) => at < 4 ? number >> (8 * at) : at),
  vout
})

describe("the index of what is spent", () => {
  it("finds what was noted and not forgotten, whatever came and went", () => {
    const random = seededRandom(5)
    const index = spentIndex(9)
    const model = new Map<number, TxHandle>()
    for (let step = 0; step < 4_000; step++) {
      const number = random.below(400)
      if (model.has(number)) {
        unindexSpent(index, outpoint(number))
        model.delete(number)
      } else {
        indexSpent(index, outpoint(number), step)
        model.set(number, step)
      }
    }
    for (let number = 0; number < 400; number++) {
      assert.strictEqual(spenderOf(index, outpoint(number)), model.get(number))
    }
    // Cells that were freed are used again.
    assert.isAtMost(index.top, 400)
    assert.isAtMost(index.cells.length, 10 * 512)
  })

  it("uses each cell again that was freed, in whatever order", () => {
    for (const order of [[0, 1, 2], [2, 1, 0], [1, 0, 2]]) {
      const index = spentIndex(9)
      for (const number of order) indexSpent(index, outpoint(number), number)
      for (const number of [0, 1, 2]) unindexSpent(index, outpoint(number))
      for (const number of order) indexSpent(index, outpoint(number), number + 5)
      assert.strictEqual(index.top, 3)
      assert.deepStrictEqual(order.map((number) => spenderOf(index, outpoint(number))), order.map((each) => each + 5))
    }
  })

  it("distinguishes outpoints by each byte of the id and by the number of the output", () => {
    const index = spentIndex(9)
    const known = outpoint(1, 0xffff_fff0)
    indexSpent(index, known, 7)
    assert.strictEqual(spenderOf(index, known), 7)
    assert.isUndefined(spenderOf(index, { ...known, vout: 0xffff_fff1 }))
    for (let at = 0; at < 32; at++) {
      const txid = Uint8Array.from(known.txid)
      txid[at]! ^= 0x80
      assert.isUndefined(spenderOf(index, { ...known, txid }))
      unindexSpent(index, { ...known, txid })
    }
    assert.strictEqual(spenderOf(index, known), 7)
  })
})

describe("the columns of entries", () => {
  it("grow by half or to the handle, and keep what stands in them", () => {
    const columns = entryColumns()
    const lengths = [0, 63, 64, 65, 300].map((handle) => {
      reachHandle(columns, handle)
      columns.weight[handle] = handle + 1
      columns.fee[handle] = BigInt(handle)
      columns.txids.fill(handle, handle * 32, handle * 32 + 32)
      columns.lockBlocks.fill(handle, handle * 32, handle * 32 + 32)
      return columns.length
    })
    assert.deepStrictEqual(lengths, [64, 64, 96, 96, 301])
    for (const handle of [0, 63, 64, 65, 300]) {
      assert.deepStrictEqual([columns.weight[handle], columns.fee[handle]], [handle + 1, BigInt(handle)])
      for (const hashes of [columns.txids, columns.lockBlocks]) {
        assert.deepStrictEqual(hashAt(hashes, handle), new Uint8Array(32).fill(handle))
      }
    }
    const widths = [columns.isPresent, columns.wtxids, columns.chunk, columns.offset, columns.modifiedFee, columns.time]
    assert.deepStrictEqual(widths.map(({ length }) => length / 301), [1, 32, 1, 1, 1, 1])
  })

  it("order entries by the first byte of their ids that differs", () => {
    const columns = entryColumns()
    reachHandle(columns, 3)
    for (const [handle, at, value] of [[0, 31, 5], [1, 31, 6], [2, 0, 1]] as const) {
      columns.txids[handle * 32 + at] = value
    }
    const order = ([a, b]: readonly [number, number]) => Math.sign(compareTxids(columns, a, b))
    assert.deepStrictEqual(([[0, 1], [1, 0], [1, 2], [2, 1], [1, 1]] as const).map(order), [-1, 1, -1, 1, 0])
  })
})
