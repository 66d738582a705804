import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { ChainEngine } from "../../../src/engine/chain-engine.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { chainWindow } from "../../../src/engine/queries/chain-window.ts"

const BLOCKS = 4_600

/** A chain with a block each second. */
const nodes: Array<HeaderIndexNode> = []
for (let height = 0; height < BLOCKS; height++) {
  const parent = nodes[height - 1]
  nodes.push(
    {
      height,
      index: height,
      header: { time: height },
      hash: new Uint8Array(32),
      parent,
      skip: parent
    } as unknown as HeaderIndexNode
  )
}

const windowOf = (targetSpacing: number, height: number) => {
  const tip = nodes[height]!
  const columns = { chainTransactions: Float64Array.from({ length: BLOCKS }, (_, i) => 10 * (i + 1)) }
  const engine = { parameters: { work: { targetSpacing } }, tree: { tip, columns } } as unknown as ChainEngine
  return Result.getOrThrow(chainWindow(engine, { blocks: undefined, last: undefined }))
}

describe("the window of a chain", () => {
  it("is a month of blocks, 30 days of whole ones, unless a number is given", () => {
    assert.deepInclude(windowOf(600, 4_500), { blocks: 4_320, seconds: 4_320, transactions: 45_010 })
    assert.strictEqual(windowOf(700, 4_500).blocks, 3_702)
  })

  it("is all but the first block of a younger chain", () => {
    assert.deepInclude(windowOf(600, 4_321), { blocks: 4_320, transactionsBefore: 20 })
    assert.deepInclude(windowOf(600, 4_320), { blocks: 4_319, transactionsBefore: 20 })
  })
})
