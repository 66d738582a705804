import { assert, describe, it } from "vitest"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { setStatus } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { markInvalid } from "../../../src/engine/header-index/mark-invalid.ts"
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

  it("are each said to be what they are: here or not, once in the chain or never, invalid", () => {
    const tree = freshTree()
    const root = tree.tip
    const branch = (length: number, isHere = true): ReadonlyArray<HeaderIndexNode> => {
      const nodes = [root]
      for (let i = 0; i < length; i++) {
        const node = grow(tree, nodes.at(-1)!)
        if (isHere) store(tree, node)
        nodes.push(node)
      }
      return nodes.slice(1)
    }
    const [main, forked, never, bad, header] = [branch(2), branch(3), branch(4), branch(5), branch(6, false)]
    for (const node of main) setTip(tree, node)
    for (const node of [...main, ...forked]) setStatus(tree, node, HeaderStatus.CONNECTED)
    markInvalid(tree, bad[0]!)
    setStatus(tree, bad[0]!, HeaderStatus.CONNECTED)
    const last = (of: ReadonlyArray<HeaderIndexNode>) => of.at(-1)!.hash
    assert.deepStrictEqual(chainTips(tree), [
      { height: 6, hash: last(header), branchLength: 6, status: "headers-only" },
      { height: 5, hash: last(bad), branchLength: 5, status: "invalid" },
      { height: 4, hash: last(never), branchLength: 4, status: "valid-headers" },
      { height: 3, hash: last(forked), branchLength: 3, status: "valid-fork" },
      { height: 2, hash: last(main), branchLength: 0, status: "active" }
    ])
    // Blocks on top of the tip, which is none of the leaves then.
    const above = grow(tree, main[1]!)
    assert.deepStrictEqual(
      chainTips(tree).slice(3).map(({ branchLength, height, status }) => [height, branchLength, status]).toSorted(),
      [[2, 0, "active"], [3, 1, "headers-only"], [3, 3, "valid-fork"]]
    )
    assert.strictEqual(above.height, 3)
  })
})
