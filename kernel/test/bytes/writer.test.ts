import { assert, describe, it } from "vitest"
import { sizedLength, writeCompactSize, writeInt64, writerOf, writeSized, writeUint32 } from "../../src/bytes/writer.ts"

const written = (size: number, write: (writer: ReturnType<typeof writerOf>) => void): ReadonlyArray<number> => {
  const writer = writerOf(size)
  write(writer)
  assert.strictEqual(writer.offset, size)
  return [...writer.bytes]
}

describe("a writer", () => {
  it.each([
    [0n, [0, 0, 0, 0, 0, 0, 0, 0]],
    [-1n, [255, 255, 255, 255, 255, 255, 255, 255]],
    [2n ** 63n - 1n, [255, 255, 255, 255, 255, 255, 255, 127]],
    [-(2n ** 63n), [0, 0, 0, 0, 0, 0, 0, 128]],
    [2n ** 32n, [0, 0, 0, 0, 1, 0, 0, 0]],
    [2n ** 53n - 1n, [255, 255, 255, 255, 255, 255, 31, 0]],
    [2n ** 53n + 1n, [1, 0, 0, 0, 0, 0, 32, 0]],
    [0xdeadbeef12345678n - 2n ** 64n, [0x78, 0x56, 0x34, 0x12, 0xef, 0xbe, 0xad, 0xde]],
    [-(2n ** 32n), [0, 0, 0, 0, 255, 255, 255, 255]],
    [2_100_000_000_000_000n, [0, 64, 7, 90, 240, 117, 7, 0]]
  ])("writes %i as eight bytes in two's complement", (value, bytes) => {
    assert.deepStrictEqual(written(8, (writer) => writeInt64(writer, value)), bytes)
  })

  it.each([
    [0xffffffff, [255, 255, 255, 255]],
    [-1, [255, 255, 255, 255]],
    [0x80000002, [2, 0, 0, 128]],
    [0x04030201, [1, 2, 3, 4]]
  ])("writes %i as four bytes, signed or not", (value, bytes) => {
    assert.deepStrictEqual(written(4, (writer) => writeUint32(writer, value)), bytes)
  })

  it.each([
    [252, [252]],
    [253, [253, 253, 0]],
    [0xffff, [253, 255, 255]],
    [0x10000, [254, 0, 0, 1, 0]],
    [0xffffffff, [254, 255, 255, 255, 255]]
  ])("writes the length %i in its shortest form", (value, bytes) => {
    assert.deepStrictEqual(written(bytes.length, (writer) => writeCompactSize(writer, value)), bytes)
  })

  it("writes bytes behind their length, from a Buffer too", () => {
    const given = Buffer.from([1, 2, 3])
    assert.deepStrictEqual(written(sizedLength(given), (writer) => writeSized(writer, given)), [3, 1, 2, 3])
  })
})
