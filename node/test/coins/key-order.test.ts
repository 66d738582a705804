import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addCell, cellArena } from "../../src/coins/cell-arena.ts"
import { coinKey } from "../../src/coins/coin-key.ts"
import { sortByKey } from "../../src/coins/key-order.ts"

const SEED = Number(process.env.LOCKSTEP_SEED ?? Date.now()) | 0

/** Many begin alike, up to any byte. */
const outPoints = fc
  .tuple(fc.nat(31), fc.nat(255), fc.nat(3), fc.constantFrom(0, 1, 255, 256, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff))
  .map(([place, byte, group, vout]) => {
    const txid = new Uint8Array(32).fill(group * 85)
    txid[place] = byte
    return { txid, vout }
  })

describe("order of keys", () => {
  it("is that of their bytes", () => {
    fc.assert(
      fc.property(fc.array(outPoints, { maxLength: 200 }), (outpoints) => {
        const arena = cellArena()
        const ordered = sortByKey(arena, Uint32Array.from(outpoints, (outpoint) => addCell(arena, outpoint)))
        const keys = [...ordered].map((cell) => Buffer.from(coinKey(outpoints[cell]!)).toString("hex"))
        assert.deepStrictEqual(keys, [...keys].sort())
        assert.strictEqual(new Set(ordered).size, outpoints.length)
      }),
      { seed: SEED, numRuns: 500 }
    )
  })
})
