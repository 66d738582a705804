import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import {
  advance,
  cursorOn,
  nothingFollows,
  readBytes,
  readInt64,
  readUint32,
  readUint8
} from "../../src/bytes/cursor.ts"
import { encodeCompactSize, readCompactSize } from "../../src/bytes/compact-size.ts"

describe("a cursor", () => {
  it("reads from where its array starts, not from where its buffer does", () => {
    const buffer = Uint8Array.of(9, 9, 9, 1, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 7)
    const cursor = cursorOn(buffer.subarray(3, 16))
    assert.deepStrictEqual([readUint8(cursor), readUint32(cursor), readInt64(cursor)], [1, 2, -1n])
    assert.isTrue(Result.isSuccess(nothingFollows(cursor)))
  })

  it("once broken stays so, says where, and moves no further", () => {
    const cursor = cursorOn(Uint8Array.of(1, 2, 3))
    assert.strictEqual(readUint8(cursor), 1)
    assert.strictEqual(readUint32(cursor), 0)
    assert.deepStrictEqual(cursor.broken, { _tag: "Violation", rule: "SER-003", detail: { offset: 1 } })
    assert.deepStrictEqual([readUint8(cursor), readInt64(cursor), readCompactSize(cursor)], [0, 0n, 0])
    assert.strictEqual(readBytes(cursor, 1).length, 0)
    assert.deepStrictEqual([cursor.offset, cursor.broken?.detail.offset], [1, 1])
  })

  it("does not add to an offset what it has not seen", () => {
    const cursor = cursorOn(new Uint8Array(4))
    assert.strictEqual(advance(cursor, 2 ** 53), -1)
    assert.strictEqual(cursor.offset, 0)
  })
})

describe("a compact size", () => {
  const LENGTHS = [[0, 1], [252, 1], [253, 3], [0xffff, 3], [0x10000, 5], [0x02000000, 5]] as const

  it.each(LENGTHS)("%i takes %i bytes and comes back", (value, length) => {
    const bytes = encodeCompactSize(value)
    assert.strictEqual(bytes.length, length)
    assert.strictEqual(readCompactSize(cursorOn(Buffer.from(bytes))), value)
  })

  it("has a form for lengths that nothing may have", () => {
    assert.deepStrictEqual(encodeCompactSize(2 ** 32), Uint8Array.of(255, 0, 0, 0, 0, 1, 0, 0, 0))
    assert.deepStrictEqual(encodeCompactSize(2 ** 53 - 1), Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 31, 0))
  })
})
