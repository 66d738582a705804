import { assert, describe, it } from "vitest"
import { recentBlocks } from "../../../src/engine/state/recent-blocks.ts"
import type { IdentifiedBlock } from "../../../src/engine/state/identified-block.ts"

/** All that the memory looks at of a block is how long its bytes are. */
const ofLength = (length: number): IdentifiedBlock =>
  ({ block: { bytes: new Uint8Array(length) } }) as unknown as IdentifiedBlock

/** A memory of 100 bytes with blocks of these lengths, numbered from 0. */
const holding = (...lengths: ReadonlyArray<number>) => {
  const memory = recentBlocks(100)
  lengths.forEach((length, index) => memory.put(index, ofLength(length)))
  return { ...memory, held: (most = 9) => Array.from({ length: most }, (_, i) => i).filter((i) => memory.get(i)) }
}

describe("the blocks that arrived a moment ago", () => {
  it("stay while all of them fit, to the last byte", () => {
    assert.deepStrictEqual(holding(40, 60).held(), [0, 1])
    assert.deepStrictEqual(holding(40, 61).held(), [1])
  })

  it("leave in the order in which they came, no more of them than must", () => {
    assert.deepStrictEqual(holding(30, 30, 30, 40).held(), [1, 2, 3])
    assert.deepStrictEqual(holding(30, 30, 30, 80).held(), [3])
  })

  it("always hold the last one, however large it is", () => {
    const memory = holding(30, 500)
    assert.deepStrictEqual(memory.held(), [1])
    memory.put(2, ofLength(10))
    assert.deepStrictEqual(memory.held(), [2])
  })

  it("count one that comes again once, as the newest", () => {
    const memory = holding(40, 40)
    memory.put(0, ofLength(60))
    assert.deepStrictEqual(memory.held(), [0, 1])
    memory.put(2, ofLength(40))
    assert.deepStrictEqual(memory.held(), [0, 2])
  })

  it("have room again for what was removed, and removing what is not there changes nothing", () => {
    const memory = holding(50, 50)
    memory.remove(0)
    memory.remove(7)
    memory.put(2, ofLength(50))
    assert.deepStrictEqual(memory.held(), [1, 2])
  })

  it("do not leave for one that is only offered, which stays if there is room for it", () => {
    const memory = holding(60)
    memory.offer(1, ofLength(41))
    assert.deepStrictEqual(memory.held(), [0])
    memory.offer(2, ofLength(40))
    assert.deepStrictEqual(memory.held(), [0, 2])
  })
})
