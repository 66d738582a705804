import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
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

const verdictOn = (targetSpacing: number, height: number, blocks?: number) => {
  const tip = nodes[height]!
  const columns = { chainTransactions: Float64Array.from({ length: BLOCKS }, (_, i) => 10 * (i + 1)) }
  const engine = { parameters: { work: { targetSpacing } }, tree: { tip, columns } } as unknown as ChainEngine
  return chainWindow(engine, { blocks, last: undefined })
}

const windowOf = (targetSpacing: number, height: number, blocks?: number) =>
  Result.getOrThrow(verdictOn(targetSpacing, height, blocks))

describe("the window of a chain", () => {
  it("is a month of blocks, 30 days of whole ones, unless a number is given", () => {
    assert.deepInclude(windowOf(600, 4_500), { blocks: 4_320, seconds: 4_320, transactions: 45_010 })
    assert.strictEqual(windowOf(700, 4_500).blocks, 3_702)
  })

  it("is all but the first block of a younger chain", () => {
    assert.deepInclude(windowOf(600, 4_321), { blocks: 4_320, transactionsBefore: 20 })
    assert.deepInclude(windowOf(600, 4_320), { blocks: 4_319, transactionsBefore: 20 })
  })

  it("is of as many blocks as are given, from none to all but the first", () => {
    assert.deepInclude(windowOf(600, 100, 0), { blocks: 0, seconds: 0, transactionsBefore: 1_010 })
    assert.deepInclude(windowOf(600, 100, 1), { blocks: 1, seconds: 1, transactionsBefore: 1_000 })
    assert.deepInclude(windowOf(600, 100, 99), { blocks: 99, transactionsBefore: 20 })
    assert.deepInclude(windowOf(600, 0, 0), { blocks: 0, height: 0 })
    for (const [height, blocks] of [[100, 100], [100, 101], [100, -1], [0, 1], [0, -1]] as const) {
      const expected = { _tag: "WindowTooLong", blocks, height } as const
      assert.deepStrictEqual(verdictOn(600, height, blocks), Result.fail(expected), `${blocks} at ${height}`)
    }
  })

  it("is of no block at genesis, and right above it, unless a number is given", () => {
    assert.deepInclude(windowOf(600, 0), { blocks: 0, seconds: 0 })
    assert.deepInclude(windowOf(600, 1), { blocks: 0, seconds: 0 })
    assert.deepInclude(windowOf(600, 2), { blocks: 1 })
  })
})
