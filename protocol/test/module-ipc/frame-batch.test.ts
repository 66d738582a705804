import { assert, describe, it } from "vitest"
import {
  encodeModuleFrame,
  moduleFrameBatch,
  moduleFramePieces,
  type ModuleMessage,
  moduleResponse
} from "../../src/module-ipc/index.ts"

const block = (length: number): ModuleMessage =>
  moduleResponse(7n, { _tag: "Block", value: new Uint8Array(length).fill(9) })
const HEIGHT = moduleResponse(1n, { _tag: "U64", value: 5 })
const HASHES = moduleResponse(2n, {
  _tag: "MempoolTransactions",
  value: Array.from({ length: 3_000 }, (_, i) => new Uint8Array(32).fill(i))
})

const joined = (pieces: ReadonlyArray<Uint8Array>): string => Buffer.concat(pieces).toString("hex")
const frame = (message: ModuleMessage): string => joined([encodeModuleFrame(message)])

describe("a batch of frames", () => {
  it("holds small messages one behind another, and is empty after they are taken out", () => {
    const batch = moduleFrameBatch()
    assert.strictEqual(batch.length(), 0)
    for (let i = 0; i < 300; i++) assert.isUndefined(batch.add(HEIGHT, 65_536))
    assert.strictEqual(batch.length(), 300 * encodeModuleFrame(HEIGHT).length)
    assert.strictEqual(joined([batch.take()]), frame(HEIGHT).repeat(300))
    assert.strictEqual(batch.length(), 0)
    assert.isUndefined(batch.add(HEIGHT, 65_536))
    assert.strictEqual(joined([batch.take()]), frame(HEIGHT))
  })

  it.each([
    ["a long byte string, which is not copied", block(100_000), 3],
    ["a byte string that is only just long", block(32 * 1024), 3],
    ["many short values", HASHES, 1]
  ])("answers a frame with %s in pieces, and keeps what was added before", (_, message, most) => {
    const batch = moduleFrameBatch()
    batch.add(HEIGHT, 65_536)
    const pieces = batch.add(message, 65_536)!
    assert.isAtMost(pieces.length, most)
    assert.strictEqual(joined([batch.take()]), frame(HEIGHT))
    assert.isUndefined(batch.add(HEIGHT, 65_536))
    assert.strictEqual(joined(pieces), frame(message))
    assert.strictEqual(joined(moduleFramePieces(message)), frame(message))
    assert.strictEqual(joined([batch.take()]), frame(HEIGHT))
  })

  it("takes frames that are encoded already, and uses its memory again only once it is told to", () => {
    const batch = moduleFrameBatch()
    const long = encodeModuleFrame(HASHES)
    for (let i = 0; i < 5; i++) {
      batch.addFrame(encodeModuleFrame(HEIGHT))
      batch.add(HEIGHT, 65_536)
      if (i === 3) batch.addFrame(long)
      const taken = batch.take()
      if (i % 2 === 0) batch.reuse()
      assert.strictEqual(joined([taken]), frame(HEIGHT).repeat(2) + (i === 3 ? joined([long]) : ""))
      batch.add(HEIGHT, 65_536)
      const next = batch.take()
      assert.strictEqual(next.buffer === taken.buffer, i % 2 === 0)
      batch.reuse()
    }
    batch.addFrame(new Uint8Array(100_000))
    const { buffer } = batch.take()
    batch.reuse()
    batch.addFrame(Uint8Array.of(1))
    assert.notStrictEqual(batch.take().buffer, buffer, "memory of a burst is not kept")
  })

  it("has the bytes of a long value itself among the pieces", () => {
    const value = new Uint8Array(100_000)
    const pieces = moduleFramePieces(moduleResponse(7n, { _tag: "Block", value }))
    assert.isTrue(pieces.includes(value))
  })
})
