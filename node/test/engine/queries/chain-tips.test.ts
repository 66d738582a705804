import { assert, describe, it } from "vitest"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { setStatus } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { chainTips } from "../../../src/engine/queries/chain-tips.ts"
import { freshTree, grow, store } from "../header-index/small-tree.ts"

describe("the tips of a tree", () => {
  it("are the tip of the chain, and the last block of each branch", () => {
    const tree = freshTree()
    const chain = [tree.tip]
    for (let i = 0; i < 3; i++) {
      const node = grow(tree, chain.at(-1)!)
      store(tree, node)
      setStatus(tree, node, HeaderStatus.CONNECTED)
      setTip(tree, node)
      chain.push(node)
    }
    const branch = grow(tree, chain[1]!)
    const above = grow(tree, branch)
    const ahead = grow(tree, chain[3]!)
    const seen = () => chainTips(tree).map(({ branchLength, hash, status }) => [hash, branchLength, status])
    assert.deepStrictEqual(seen(), [
      [ahead.hash, 1, "headers-only"],
      ...[[above.hash, 2, "headers-only"], [chain[3]!.hash, 0, "active"]].toSorted(([a], [b]) =>
        Buffer.compare(a as Uint8Array, b as Uint8Array)
      )
    ])
  })
})
