import { assert, describe, it } from "vitest"
import {
  add,
  available,
  clear,
  packetInput,
  putBack,
  takePacketBytes,
  takeAll
} from "../../../src/wire/v2-transport/packet-input.ts"

const bytes = (...values: ReadonlyArray<number>): Uint8Array => Uint8Array.of(...values)

describe("what has arrived and was not read yet", () => {
  it("is read in order, whatever the pieces were, and no more than there is", () => {
    const input = packetInput()
    assert.deepStrictEqual([available(input), takePacketBytes(input, 3)], [0, bytes()])
    add(input, bytes(1, 2, 3))
    assert.deepStrictEqual([takePacketBytes(input, 2), available(input)], [bytes(1, 2), 1])
    add(input, bytes(4, 5))
    assert.deepStrictEqual([takePacketBytes(input, 2), available(input)], [bytes(3, 4), 1])
    assert.deepStrictEqual([takePacketBytes(input, 9), available(input)], [bytes(5), 0])
  })

  it("has again what was given back", () => {
    const input = packetInput()
    add(input, bytes(1, 2, 3, 4))
    takePacketBytes(input, 3)
    putBack(input, 2)
    assert.deepStrictEqual([available(input), takeAll(input), available(input)], [3, bytes(2, 3, 4), 0])
  })

  it("is not copied where nothing was left, and nothing of it is held once it is cleared", () => {
    const input = packetInput()
    const piece = bytes(1, 2)
    add(input, piece)
    assert.strictEqual(input.chunk, piece)
    takePacketBytes(input, 2)
    const next = bytes(3)
    add(input, next)
    assert.strictEqual(input.chunk, next)
    clear(input)
    assert.deepStrictEqual([available(input), input.chunk.length], [0, 0])
  })
})
