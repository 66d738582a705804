import { assert, describe, it } from "vitest"
import { ownCopy, sharedCopies } from "../../src/engine/options/shared-copies.ts"

const PIECE = 262_144

const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)

describe("copies of bytes", () => {
  it("are each in memory of their own, which a change of the bytes does not reach", () => {
    const bytes = filled(5, 1)
    const [a, b] = [ownCopy(bytes), ownCopy(bytes)]
    bytes.fill(9)
    assert.deepStrictEqual([a, b], [filled(5, 1), filled(5, 1)])
    assert.deepStrictEqual([a.buffer.byteLength, b.buffer.byteLength], [5, 5])
    assert.notStrictEqual(a.buffer, b.buffer)
  })

  it("share a piece of memory side by side until it is full, to the last byte", () => {
    const copy = sharedCopies()
    const bytes = filled(100, 1)
    const first = copy(bytes)
    bytes.fill(9)
    const second = copy(filled(PIECE - 101, 2))
    const last = copy(filled(1, 3))
    const next = copy(filled(2, 4))
    assert.deepStrictEqual([first, last, next], [filled(100, 1), filled(1, 3), filled(2, 4)])
    assert.isTrue(second.every((byte) => byte === 2))
    assert.deepStrictEqual([first, second, last].map(({ buffer }) => buffer === first.buffer), [true, true, true])
    assert.deepStrictEqual([first, second, last].map(({ byteOffset }) => byteOffset), [0, 100, PIECE - 1])
    assert.strictEqual(first.buffer.byteLength, PIECE)
    assert.notStrictEqual(next.buffer, first.buffer)
    assert.strictEqual(next.byteOffset, 0)
  })

  it("have a piece of their length where that is longer, and the next ones have another", () => {
    const copy = sharedCopies()
    const large = copy(filled(PIECE + 1, 5))
    assert.strictEqual(large.buffer.byteLength, PIECE + 1)
    assert.isTrue(large.every((byte) => byte === 5))
    const next = copy(filled(1, 6))
    assert.notStrictEqual(next.buffer, large.buffer)
    assert.strictEqual(next.buffer.byteLength, PIECE)
  })

  it("begin a piece anew for what has no room in the last one", () => {
    const copy = sharedCopies()
    const [first, second] = [copy(filled(PIECE - 1, 1)), copy(filled(2, 2))]
    assert.notStrictEqual(second.buffer, first.buffer)
    assert.strictEqual(copy(filled(1, 3)).buffer, second.buffer)
    assert.isTrue(first.every((byte) => byte === 1))
  })
})
