import { assert, describe, it } from "vitest"
import { createScratch, writerOn, written } from "../../src/bytes/scratch.ts"
import { writeBytes, writeUint32 } from "../../src/bytes/writer.ts"

const message = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)

describe("scratch memory", () => {
  it("holds one message after another, whatever their lengths", () => {
    const scratch = createScratch()
    for (const length of [1, 200, 0, 64, 3_000_000, 5, 300, 3_000_001, 299]) {
      const writer = writerOn(scratch, length)
      writeBytes(writer, message(length, length & 0xff))
      assert.deepStrictEqual(written(writer), message(length, length & 0xff))
    }
  })

  it("is used again as long as messages fit, and does not keep what the longest ones took", () => {
    const scratch = createScratch()
    const { buffer } = writerOn(scratch, 100).bytes
    assert.strictEqual(writerOn(scratch, 90).bytes.buffer, buffer)
    writerOn(scratch, 4_000_000)
    assert.strictEqual(writerOn(scratch, 100).bytes.buffer, buffer)
  })

  it("answers only what was written, also when less than announced", () => {
    const scratch = createScratch()
    writeBytes(writerOn(scratch, 20), message(20, 7))
    const writer = writerOn(scratch, 20)
    writeUint32(writer, 0x04030201)
    assert.deepStrictEqual([...written(writer)], [1, 2, 3, 4])
  })
})
