import { assert, describe, it } from "vitest"
import type { Layout } from "../../src/module-ipc/layout/layout.ts"
import { readerOf } from "../../src/module-ipc/layout/reader.ts"
import { bool, bytes, count, f64, hash, i32, text, u32, u64, u8 } from "../../src/module-ipc/layout/scalars.ts"
import { writer } from "../../src/module-ipc/layout/writer.ts"

/** What is read of these bytes, with the fault that is noted. */
const read = <A>(layout: Layout<A>, ...given: ReadonlyArray<number>) => {
  const from = readerOf(Uint8Array.from(given))
  return [layout.read(from), from.fault?._tag, from.offset] as const
}

const written = <A>(layout: Layout<A>, value: A): ReadonlyArray<number> => {
  const to = writer(1)
  layout.write(to, value)
  return [...to.bytes.subarray(0, to.offset)]
}

const zeros = (length: number): ReadonlyArray<number> => Array.from({ length }, () => 0)

describe("values at the beginning of bytes", () => {
  it("are read as they are written", () => {
    assert.deepStrictEqual([read(bool, 1), read(bool, 0)], [[true, undefined, 1], [false, undefined, 1]])
    assert.deepStrictEqual([written(bool, true), written(bool, false)], [[1], [0]])
    assert.deepStrictEqual([read(u8, 200), written(u8, 200)], [[200, undefined, 1], [200]])
    assert.deepStrictEqual([read(u32, 4, 3, 2, 0xff), written(u32, 0xff020304)], [[0xff020304, undefined, 4], [
      4,
      3,
      2,
      0xff
    ]])
    assert.deepStrictEqual([read(i32, 0xfe, 0xff, 0xff, 0xff), written(i32, -2)], [[-2, undefined, 4], [
      0xfe,
      0xff,
      0xff,
      0xff
    ]])
    assert.deepStrictEqual(read(u64, 1, 0, 0, 0, 0, 0, 0, 0x80), [(1n << 63n) + 1n, undefined, 8])
    assert.deepStrictEqual(written(u64, 258n), [2, 1, ...zeros(6)])
    assert.deepStrictEqual(read(count, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0), [2 ** 53 - 1, undefined, 8])
    assert.deepStrictEqual(written(count, 2 ** 32 + 5), [5, 0, 0, 0, 1, 0, 0, 0])
    assert.deepStrictEqual(read(f64, 0, 0, 0, 0, 0, 0, 0xf8, 0xbf), [-1.5, undefined, 8])
    assert.deepStrictEqual(written(f64, -1.5), [0, 0, 0, 0, 0, 0, 0xf8, 0xbf])
    assert.deepStrictEqual(read(bytes, 2, ...zeros(7), 9, 8), [Uint8Array.of(9, 8), undefined, 10])
    assert.deepStrictEqual(written(bytes, Uint8Array.of(9, 8)), [2, ...zeros(7), 9, 8])
    assert.deepStrictEqual(read(text, 2, ...zeros(7), 0xc3, 0xa9), ["é", undefined, 10])
    assert.deepStrictEqual(written(text, "é"), [2, ...zeros(7), 0xc3, 0xa9])
    const digest = Array.from({ length: 32 }, (_, i) => i)
    assert.deepStrictEqual(read(hash, ...digest), [Uint8Array.from(digest), undefined, 32])
    assert.deepStrictEqual(written(hash, Uint8Array.from([...digest, 99])), digest)
  })

  it("are nothing where bytes are missing, or where they mean nothing", () => {
    const cut = ["Truncated", 0] as const
    assert.deepStrictEqual([read(bool), read(u8)], [[false, ...cut], [0, ...cut]])
    assert.deepStrictEqual([read(u32, 1, 1, 1), read(i32, 1, 1, 1)], [[0, ...cut], [0, ...cut]])
    assert.deepStrictEqual(read(u64, 1, 1, 1, 1, 1, 1, 1), [0n, ...cut])
    assert.deepStrictEqual([read(count, ...zeros(7)), read(f64, ...zeros(7))], [[0, ...cut], [0, ...cut]])
    assert.deepStrictEqual(read(hash, ...zeros(31)), [new Uint8Array(32), ...cut])
    assert.deepStrictEqual(read(bytes, 2, ...zeros(7), 1), [new Uint8Array(0), "Truncated", 8])
    assert.deepStrictEqual(read(bool, 2), [false, "UnknownTag", 1])
    assert.deepStrictEqual(read(count, 0, 0, 0, 0, 0, 0, 0x20, 0), [0, "NumberTooLarge", 8])
    assert.deepStrictEqual(read(f64, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f), [Infinity, "NotFinite", 8])
    assert.deepStrictEqual(read(text, 1, ...zeros(7), 0xff), ["", "NotText", 9])
  })
})
