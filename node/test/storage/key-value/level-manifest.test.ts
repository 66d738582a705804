import { assert, describe, it } from "vitest"
import { crc32c, unmasked } from "../../../src/storage/key-value/opening/crc32c.ts"
import { tablesInUse } from "../../../src/storage/key-value/opening/level-manifest.ts"

const BLOCK = 32_768

const number = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value % 128) | 128, ...number(Math.floor(value / 128))]
const text = (length: number): ReadonlyArray<number> => [...number(length), ...new Uint8Array(length)]
const added = (
  table: number
): ReadonlyArray<number> => [7, ...number(2), ...number(table), ...number(300), ...text(3), ...text(200)]
const deleted = (table: number): ReadonlyArray<number> => [6, ...number(1), ...number(table)]

const piece = (type: number, content: ReadonlyArray<number>): ReadonlyArray<number> => [
  0,
  0,
  0,
  0,
  content.length & 255,
  content.length >> 8,
  type,
  ...content
]
const whole = (content: ReadonlyArray<number>): ReadonlyArray<number> => piece(1, content)
const tables = (...bytes: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> | undefined => {
  const found = tablesInUse(Uint8Array.from(bytes.flat()))
  return found && [...found]
}

describe("the manifest of LevelDB", () => {
  it("names the tables that were added and not deleted since", () => {
    assert.deepStrictEqual(tables(), [])
    assert.deepStrictEqual(tables(whole([...added(127), ...added(128)])), [127, 128])
    assert.deepStrictEqual(tables(whole([...added(5), ...added(300)]), whole([...deleted(5), ...added(2 ** 40)])), [
      300,
      2 ** 40
    ])
  })

  it("is understood with all kinds of changes", () => {
    const others = [
      [1, ...text(26)],
      [2, ...number(200)],
      [3, ...number(201)],
      [4, ...number(2 ** 50)],
      [5, ...number(6), ...text(130)],
      [9, ...number(0)]
    ]
    for (const other of others) assert.deepStrictEqual(tables(whole([...other, ...added(5)])), [5])
    assert.deepStrictEqual(tables(whole([...others.flat(), ...added(5)])), [5])
    for (const kind of [0, 8, 10]) assert.isUndefined(tables(whole([kind, ...added(5)])), `kind ${kind}`)
  })

  it("makes no sense where a record ends within a change", () => {
    const content = [...added(5), ...deleted(300)]
    for (let end = added(5).length + 1; end < content.length; end++) {
      assert.isUndefined(tables(whole(content.slice(0, end))), `after ${end} bytes`)
    }
    for (let end = 1; end < added(5).length; end++) assert.isUndefined(tables(whole(content.slice(0, end))))
    assert.isUndefined(tables(whole([1, ...number(4), 0, 0, 0])), "a text that is longer than what is there")
  })

  it("is put together of pieces, and ends where one is cut off or never written", () => {
    const content = [...added(5), ...added(6)]
    const parts = [piece(2, content.slice(0, 3)), piece(3, content.slice(3, 9)), piece(4, content.slice(9))]
    assert.deepStrictEqual(tables(...parts), [5, 6])
    assert.deepStrictEqual(
      tables(whole(added(1)), parts[0]!, whole(added(2))),
      [1, 2],
      "a first piece without the rest"
    )
    assert.deepStrictEqual(tables(whole(added(1)), parts[0]!, ...parts), [1, 5, 6], "begun anew")
    assert.deepStrictEqual(tables(whole(added(1)), parts[0]!, parts[1]!), [1])
    assert.deepStrictEqual(tables(whole(added(1)), whole(added(2)).slice(0, -1)), [1])
    assert.deepStrictEqual(tables(whole(added(1)), [0, 0, 0, 0, 0, 0]), [1])
    assert.deepStrictEqual(tables(whole(added(1)), piece(0, added(2)), whole(added(3))), [1])
  })

  it("has no piece that begins in the last six bytes of a block", () => {
    for (const left of [0, 1, 6, 7]) {
      const length = BLOCK - 7 - left
      const filling = whole([1, ...number(length - 4), ...new Uint8Array(length - 4)])
      assert.lengthOf(filling, BLOCK - left)
      const rest = left === 7 ? whole([]) : [...new Uint8Array(left)]
      assert.deepStrictEqual(tables(filling, rest, whole(added(9))), [9], `${left} bytes`)
    }
  })
})

describe("the checksum of LevelDB's files", () => {
  it("is CRC-32C, rotated and shifted where it is stored", () => {
    // The check value of the polynomial, and the tests of RFC 3720.
    assert.strictEqual(crc32c(Buffer.from("123456789")), 0xe3069283)
    assert.strictEqual(crc32c(new Uint8Array(32)), 0x8a9136aa)
    assert.strictEqual(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43)
    assert.strictEqual(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e)
    assert.strictEqual(crc32c(new Uint8Array(0)), 0)
    for (const sum of [0, 1, 0xe3069283, 0xffffffff, 0x00018000]) {
      const stored = ((((sum >>> 15) | (sum << 17)) >>> 0) + 0xa282ead8) >>> 0
      assert.strictEqual(unmasked(stored), sum)
    }
  })
})
