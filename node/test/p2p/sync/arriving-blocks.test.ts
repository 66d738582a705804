import { assert, describe, it } from "vitest"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import {
  addArriving,
  arrivingBlocks,
  arrivingCount,
  endArriving
} from "../../../src/p2p/sync/blocks/arriving-blocks.ts"

describe("blocks that arrive", () => {
  it("are each there once, by header or by hash, until they end", () => {
    const arriving = arrivingBlocks()
    const [first, second] = [1, 2].map((index) => ({ index }) as HeaderIndexNode)
    assert.deepStrictEqual(
      [
        addArriving(arriving, first, "a"),
        addArriving(arriving, first, "a"),
        addArriving(arriving, second, "b"),
        addArriving(arriving, undefined, "c"),
        addArriving(arriving, undefined, "c"),
        addArriving(arriving, undefined, "d"),
        addArriving(arriving, undefined, "e"),
        // Its header came after it.
        addArriving(arriving, { index: 3 } as HeaderIndexNode, "d")
      ],
      [true, false, true, true, false, true, true, false]
    )
    assert.strictEqual(arrivingCount(arriving), 5)
    endArriving(arriving, first, "a")
    endArriving(arriving, undefined, "c")
    endArriving(arriving, undefined, "b")
    assert.strictEqual(arrivingCount(arriving), 3)
    assert.deepStrictEqual([[...arriving.known], [...arriving.unknown]], [[2], ["d", "e"]])
  })
})
