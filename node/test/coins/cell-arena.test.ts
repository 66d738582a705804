import { assert, describe, it } from "@effect/vitest"
import {
  addCell,
  arenaBytes,
  CELL_BYTES,
  type CellArena,
  cellArena,
  coinIn,
  compareCells,
  copyScript,
  freeCell,
  hashOfCell,
  holds,
  isCellOf,
  keyPrefix,
  Mark,
  marksOf,
  readCell,
  setMarks,
  writeCell,
  writeOutPoint
} from "../../src/coins/cell-arena.ts"
import { coinKey } from "../../src/coins/coin-key.ts"
import { hashOutPoint } from "../../src/coins/outpoint-words.ts"

const outPoint = (n: number, vout = 0) => ({
  txid: Uint8Array.from({ length: 32 }, (_, i) => (n * 37 + i * 11 + 128) & 0xff),
  vout
})

const scriptOf = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + seed * 29 + (i >>> 8)) & 0xff)

const NUMBERS = { code: 0x8000_0003, value: 2_100_000_000_000_000 }

/** Lengths at the ends of a cell's room, 36 bytes alone or 32 and 80 for each further cell, and of a slab's share. */
const LENGTHS = [0, 1, 31, 32, 33, 35, 36, 37, 111, 112, 113, 191, 192, 193, 4_095, 4_096, 4_097, 10_000]

/** Cells that a script of this length takes. */
const cellsFor = (length: number): number => 1 + (length <= 36 ? 0 : Math.ceil((length - 32) / 80))

const filled = (arena: CellArena, length: number, seed = 1): number => {
  const cell = addCell(arena, outPoint(seed))
  setMarks(arena, cell, Mark.head | Mark.exists)
  writeCell(arena, cell, NUMBERS, scriptOf(length, seed), 0, length)
  return cell
}

describe("cells", () => {
  for (const length of LENGTHS) {
    it(`hold a script of ${length} bytes in as many cells as it needs, and give them back`, () => {
      const arena = cellArena()
      const [before, cell, after] = [filled(arena, 36, 2), filled(arena, length), filled(arena, 40, 3)]
      assert.strictEqual(arena.used, 3 + cellsFor(length))
      assert.strictEqual(arenaBytes(arena), arena.used * CELL_BYTES)
      const target = new Uint8Array(length + 4).fill(0xee)
      assert.strictEqual(copyScript(arena, cell, target, 2), length)
      assert.deepStrictEqual(target, Uint8Array.of(0xee, 0xee, ...scriptOf(length), 0xee, 0xee))
      const coin = coinIn(arena, cell)
      assert.deepStrictEqual(coin, {
        value: 2_100_000_000_000_000n,
        script: scriptOf(length),
        height: 0x4000_0001,
        isCoinbase: true
      })
      const numbers = { code: 0, value: 0 }
      readCell(arena, cell, numbers)
      assert.deepStrictEqual(numbers, NUMBERS)
      assert.deepStrictEqual([coinIn(arena, before).script, coinIn(arena, after).script], [
        scriptOf(36, 2),
        scriptOf(40, 3)
      ])
      freeCell(arena, cell)
      assert.strictEqual(arena.used, 3)
      // What was freed is used again before any that was never touched.
      const { top } = arena
      filled(arena, length, 4)
      assert.strictEqual(arena.top, top)
      assert.deepStrictEqual([coinIn(arena, before).script, coinIn(arena, after).script], [
        scriptOf(36, 2),
        scriptOf(40, 3)
      ])
    })

    it(`hold a script of ${length} bytes where another was`, () => {
      const arena = cellArena()
      const cell = filled(arena, 0)
      for (const other of LENGTHS) {
        writeCell(arena, cell, { code: 4, value: 5 }, scriptOf(other, 5), 0, other)
        writeCell(arena, cell, NUMBERS, scriptOf(length + 3, 6), 3, length)
        assert.strictEqual(arena.used, cellsFor(length))
        assert.deepStrictEqual(coinIn(arena, cell).script, scriptOf(length + 3, 6).slice(3))
        assert.strictEqual(marksOf(arena, cell), Mark.head | Mark.exists)
      }
    })

    it(`say whether they hold this very coin with a script of ${length} bytes`, () => {
      const arena = cellArena()
      const cell = filled(arena, length)
      const script = scriptOf(length)
      assert.isTrue(holds(arena, cell, NUMBERS, script))
      assert.isFalse(holds(arena, cell, { ...NUMBERS, code: NUMBERS.code + 1 }, script))
      assert.isFalse(holds(arena, cell, { ...NUMBERS, code: 3 }, script))
      assert.isFalse(holds(arena, cell, { ...NUMBERS, value: NUMBERS.value - 1 }, script))
      assert.isFalse(holds(arena, cell, { ...NUMBERS, value: NUMBERS.value % 2 ** 32 }, script))
      assert.isFalse(holds(arena, cell, NUMBERS, scriptOf(length + 1)))
      for (const at of new Set([0, length >>> 1, length - 1])) {
        if (at < 0 || at >= length) continue
        const other = script.slice()
        other[at]! ^= 1
        assert.isFalse(holds(arena, cell, NUMBERS, other), `${at}`)
      }
    })
  }

  it("hold numbers from none to the largest", () => {
    const arena = cellArena()
    const cell = filled(arena, 3)
    for (const value of [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_0000_0000, 0x1_8000_0001, 2 ** 53 - 1]) {
      for (const code of [0, 1, 2, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff]) {
        writeCell(arena, cell, { code, value }, scriptOf(3), 0, 3)
        const numbers = { code: 9, value: 9 }
        readCell(arena, cell, numbers)
        assert.deepStrictEqual(numbers, { code, value })
        const coin = coinIn(arena, cell)
        assert.deepStrictEqual([coin.value, coin.height, coin.isCoinbase], [BigInt(value), code >>> 1, code % 2 === 1])
        assert.isTrue(holds(arena, cell, numbers, scriptOf(3)))
      }
    }
  })

  it("keep marks and script apart; a freed one keeps only that it is listed", () => {
    const arena = cellArena()
    const cell = filled(arena, 36)
    setMarks(arena, cell, Mark.head | Mark.warm | Mark.listed)
    assert.strictEqual(marksOf(arena, cell), Mark.head | Mark.warm | Mark.listed)
    assert.deepStrictEqual(coinIn(arena, cell).script, scriptOf(36))
    setMarks(arena, cell, Mark.head)
    assert.strictEqual(marksOf(arena, cell), Mark.head)
    setMarks(arena, cell, Mark.head | Mark.listed)
    freeCell(arena, cell)
    assert.strictEqual(marksOf(arena, cell), Mark.listed)
    assert.strictEqual(addCell(arena, outPoint(8)), cell)
    assert.strictEqual(marksOf(arena, cell), Mark.listed)
    assert.lengthOf(coinIn(arena, cell).script, 0)
  })

  it("give scripts out in memory of their own, which later ones do not touch", () => {
    const arena = cellArena()
    const cells = Array.from({ length: 12 }, (_, n) => filled(arena, n < 9 ? 4_000 : 100, n))
    const scripts = cells.map((cell) => coinIn(arena, cell).script)
    scripts[3]!.fill(0)
    for (const [n, script] of scripts.entries()) {
      if (n !== 3) assert.deepStrictEqual(script, scriptOf(n < 9 ? 4_000 : 100, n))
    }
    assert.deepStrictEqual(coinIn(arena, cells[3]!).script, scriptOf(4_000, 3))
    // One that is held keeps 32 KB at most, and a long one just itself.
    assert.isAtMost(Math.max(...scripts.map(({ buffer }) => buffer.byteLength)), 32_768)
    assert.isAtMost(new Set(scripts.map(({ buffer }) => buffer)).size, 2)
    assert.strictEqual(coinIn(arena, filled(arena, 4_097, 20)).script.buffer.byteLength, 4_097)
  })

  it("are those of their outpoint: each byte counts", () => {
    const arena = cellArena()
    const outpoint = outPoint(3, 0x8000_0102)
    const cell = addCell(arena, outpoint)
    assert.isTrue(isCellOf(arena, cell, { txid: outpoint.txid.slice(), vout: outpoint.vout }))
    for (const vout of [0, 0x8000_0103, 0x102]) assert.isFalse(isCellOf(arena, cell, { ...outpoint, vout }))
    for (let at = 0; at < 32; at++) {
      for (const bit of [1, 0x80]) {
        const txid = outpoint.txid.slice()
        txid[at]! ^= bit
        assert.isFalse(isCellOf(arena, cell, { ...outpoint, txid }), `${at}`)
      }
    }
    const key = new Uint8Array(40).fill(0xee)
    writeOutPoint(arena, cell, key, 2)
    assert.deepStrictEqual(key, Uint8Array.of(0xee, 0xee, ...coinKey(outpoint).subarray(1), 0xee, 0xee))
    for (const seed of [0, 1, -1, 0x1234_5678]) {
      assert.strictEqual(hashOfCell(arena, cell, seed), hashOutPoint(seed, outpoint))
    }
  })

  it("are ordered as the bytes of their keys are", () => {
    const arena = cellArena()
    const base = outPoint(5, 7)
    const others = Array.from({ length: 32 }, (_, at) => {
      const txid = base.txid.slice()
      txid[at]! ^= 0x81
      return { txid, vout: 7 }
    })
    const all = [base, ...others, { ...base, vout: 8 }, { ...base, vout: 0xffff_ffff }]
    const cells = all.map((each) => addCell(arena, each))
    const keys = all.map(coinKey)
    for (const [i, a] of cells.entries()) {
      assert.strictEqual(keyPrefix(arena, a), Buffer.from(keys[i]!).readUInt32BE(1))
      for (const [j, b] of cells.entries()) {
        assert.strictEqual(Math.sign(compareCells(arena, a, b)), Buffer.compare(keys[i]!, keys[j]!))
      }
    }
  })

  it("come in pieces of 131,072", () => {
    const arena = cellArena()
    const count = (1 << 17) + 3
    for (let n = 0; n < count; n++) addCell(arena, outPoint(n & 0xff, n))
    assert.deepStrictEqual([arena.used, arena.top, arena.chunks.length], [count, count, 2])
    assert.deepStrictEqual(arena.chunks.map(({ bytes }) => bytes.length), [CELL_BYTES << 17, CELL_BYTES << 17])
    for (const n of [0, (1 << 17) - 1, 1 << 17, count - 1]) {
      assert.isTrue(isCellOf(arena, n, outPoint(n & 0xff, n)))
    }
    const cell = (1 << 17) - 1
    writeCell(arena, cell, NUMBERS, scriptOf(500), 0, 500)
    assert.deepStrictEqual(coinIn(arena, cell).script, scriptOf(500))
    assert.isTrue(isCellOf(arena, cell + 1, outPoint(0, 1 << 17)))
  })
})
