import { assert, describe, it } from "vitest"
import {
  createdIn,
  decodeRecord,
  encodeRecord,
  spentIn,
  type UnconfirmedRecord
} from "../../../src/engine/mempool/unconfirmed-record.ts"

const hash = (value: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, at) => (value * 40 + at) & 0xff)
const output = (number: number) => ({
  vout: 0x01_02_03_00 + number,
  value: 2_100_000_000_000_000n - BigInt(number),
  scriptHash: hash(number)
})

const RECORD: UnconfirmedRecord = {
  created: [output(1), output(2), output(3)],
  spent: [{ ...output(4), txid: hash(5) }, { ...output(6), txid: hash(7) }]
}

describe("the record of an unconfirmed transaction", () => {
  it("is read as it was written, wherever its bytes lie", () => {
    for (const record of [RECORD, { ...RECORD, created: [] }, { ...RECORD, spent: [] }, { created: [], spent: [] }]) {
      const bytes = encodeRecord(record)
      assert.strictEqual(bytes.length, 4 + 44 * record.created.length + 76 * record.spent.length)
      assert.deepStrictEqual(decodeRecord(bytes), record)
      const moved = new Uint8Array(bytes.length + 9).fill(0xff)
      moved.set(bytes, 5)
      assert.deepStrictEqual(decodeRecord(moved.subarray(5, 5 + bytes.length)), record)
    }
  })

  it("shows the values of each of its outputs and inputs, and of no other", () => {
    const bytes = encodeRecord(RECORD)
    const found = (search: typeof createdIn) =>
      [1, 2, 3, 4, 5, 6].filter((number) => search(bytes, (value) => value === output(number).value))
    assert.deepStrictEqual([found(createdIn), found(spentIn)], [[1, 2, 3], [4, 6]])
    const seen: Array<bigint> = []
    const look = (value: bigint): boolean => (seen.push(value), false)
    assert.deepStrictEqual([createdIn(bytes, look), spentIn(bytes, look)], [false, false])
    assert.deepStrictEqual(seen, [1, 2, 3, 4, 6].map((number) => output(number).value))
  })
})
