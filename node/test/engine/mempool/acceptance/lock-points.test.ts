import { assert, describe, it } from "@effect/vitest"
import type { Coin } from "@lockstep/kernel/utxo"
import type { HeaderIndexNode } from "../../../../src/engine/header-index/header-index-node.ts"
import { lockPointsOf } from "../../../../src/engine/mempool/acceptance/lock-points.ts"
import { freshTree, grow } from "../../header-index/small-tree.ts"
import { loose } from "../loose-transactions.ts"

const TREE = freshTree()
const CHAIN: Array<HeaderIndexNode> = [TREE.tip]
for (let height = 1; height <= 20; height++) CHAIN.push(grow(TREE, CHAIN.at(-1)!))
const TIP = CHAIN[20]!

const coinAt = (height: number): Coin => ({ value: 1n, script: new Uint8Array(), height, isCoinbase: false })

/** Locks of a transaction whose inputs each have this sequence number. */
const locksOf = (heights: ReadonlyArray<number>, sequence = 3) => {
  const inputs = heights.map((_height, vout) => ({ txid: new Uint8Array(32), vout }))
  const { block, height, time } = lockPointsOf(loose({ inputs, values: [1n], sequence }), heights.map(coinAt), TIP)
  return { block: CHAIN.findIndex(({ hash }) => Buffer.compare(hash, block) === 0), height, time }
}

describe("the lock points of an unconfirmed transaction", () => {
  it("are where its relative locks let it into a block", () => {
    assert.deepInclude(locksOf([4, 9, 2]), { height: 9 + 3 - 1, time: -1 })
    assert.deepInclude(locksOf([4, 9, 2], 0xffff_ffff), { height: -1, time: -1 })
  })

  it("hold as long as the block of its newest confirmed coin is in the chain, which may be the tip", () => {
    assert.deepStrictEqual([[4, 9, 2], [9, 4], [20, 3], [1]].map((heights) => locksOf(heights).block), [9, 9, 20, 1])
  })

  it("do not depend on a block by coins of the mempool, which have the height of the next one", () => {
    assert.deepStrictEqual([[4, 21], [21, 4], [21], [21, 20]].map((heights) => locksOf(heights).block), [4, 4, 0, 20])
    assert.strictEqual(locksOf([4, 21]).height, 21 + 3 - 1)
  })
})
