import { assert, describe, it } from "vitest"
import { type JobMemory, Word } from "../../../src/engine/script-pool/job-memory.ts"
import { bufferPool } from "../../../src/engine/script-pool/shared-buffer-pool.ts"

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

const pool = () => {
  const made: Array<number> = []
  const buffers = bufferPool(({ buffer }) => made.push(buffer.byteLength))
  return { ...buffers, made }
}

const isRetired = ({ words }: JobMemory): boolean => words[Word.RETIRED] !== 0

describe("memory that threads share for the jobs of a block", () => {
  it("is at least as large as asked for: 64 KiB, doubled until it fits, and above 32 MiB no larger than whole words need", () => {
    const { made, take } = pool()
    const most = 32 * MEBIBYTE
    for (const size of [1, 64 * KIBIBYTE, 64 * KIBIBYTE + 1, most, most + 1, most + 4, most + 5, most + 7]) take(size)
    assert.deepStrictEqual(made, [
      64 * KIBIBYTE,
      64 * KIBIBYTE,
      128 * KIBIBYTE,
      most,
      most + 4,
      most + 4,
      most + 8,
      most + 8
    ])
  })

  it("has four numbers of 64 bits, over the words in front of its table", () => {
    const { buffer, bytes, numbers, view, words } = pool().take(1)
    assert.deepStrictEqual([numbers.length, numbers.byteOffset, Word.TABLE], [4, 0, 8])
    assert.deepStrictEqual([4 * words.length, bytes.length, view.byteLength], [1, 1, 1].map(() => buffer.byteLength))
  })

  it("is used again: the smallest that is large enough, by one block at a time", () => {
    const { free, made, releaseBuffers, take } = pool()
    const [large, small, middle] = [take(MEBIBYTE), take(1), take(256 * KIBIBYTE)]
    for (const memory of [large, small, middle]) releaseBuffers(memory)
    assert.strictEqual(take(200 * KIBIBYTE), middle)
    assert.deepStrictEqual(free(), [large, small])
    assert.strictEqual(take(200 * KIBIBYTE), large)
    assert.lengthOf(made, 3)
    assert.notStrictEqual(take(200 * KIBIBYTE), small)
    assert.lengthOf(made, 4, "the only free one is too small")
    assert.strictEqual(take(64 * KIBIBYTE), small)
  })

  it("is kept up to 32 MiB; what is more is never used again, and workers find nothing to take in it", () => {
    const { free, releaseBuffers, take } = pool()
    const memories = Array.from({ length: 5 }, () => take(8 * MEBIBYTE))
    for (const { words } of memories) words[Word.TO_CLAIM] = 3
    for (const memory of memories) releaseBuffers(memory)
    assert.deepStrictEqual(free(), memories.slice(0, 4))
    assert.deepStrictEqual(memories.map(isRetired), [false, false, false, false, true])
    assert.strictEqual(memories[4]!.words[Word.TO_CLAIM], 0)
  })

  it("is kept to the last byte of 32 MiB, and not beyond", () => {
    const { free, releaseBuffers, take } = pool()
    const [most, more, small] = [take(32 * MEBIBYTE), take(32 * MEBIBYTE + 1), take(1)]
    releaseBuffers(more)
    assert.deepStrictEqual([free(), isRetired(more)], [[], true])
    releaseBuffers(most)
    assert.deepStrictEqual([free(), isRetired(most)], [[most], false])
    releaseBuffers(small)
    assert.deepStrictEqual([free(), isRetired(small)], [[most], true])
  })

  it("is not used again once it was given up while a thread may read it", () => {
    const { drop, free, take } = pool()
    const memory = take(1)
    memory.words[Word.TO_CLAIM] = 2
    drop(memory)
    assert.deepStrictEqual([isRetired(memory), memory.words[Word.TO_CLAIM], free()], [true, 0, []])
    assert.notStrictEqual(take(1), memory)
  })
})
