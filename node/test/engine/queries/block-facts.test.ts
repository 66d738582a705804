import { assert, describe, it } from "vitest"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { forgetPlaces, setUndoPlace } from "../../../src/engine/header-index/block-place.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { blockFacts } from "../../../src/engine/queries/block-facts.ts"
import { freshTree, grow, store } from "../header-index/small-tree.ts"

/** A chain of four blocks, of which three are the active chain, and one beside the third. */
const place = () => {
  const tree = freshTree()
  const blocks: Array<HeaderIndexNode> = [tree.tip]
  for (let i = 0; i < 4; i++) {
    const node = grow(tree, blocks.at(-1)!)
    store(tree, node)
    blocks.push(node)
  }
  const side = grow(tree, blocks[2]!)
  for (const node of blocks.slice(1, 4)) setTip(tree, node)
  return { tree, blocks, side }
}

describe("the facts about a block", () => {
  it("are those of its header, its place in the chain, and what is behind it there", () => {
    const { blocks, tree } = place()
    const [, first, second, third] = blocks as [HeaderIndexNode, HeaderIndexNode, HeaderIndexNode, HeaderIndexNode]
    setUndoPlace(tree, second, { file: 3, offset: 50, size: 60 })
    assert.deepEqual(blockFacts(tree, second), {
      hash: second.hash.slice(),
      header: second.header.bytes.slice(),
      height: 2,
      confirmations: 2,
      // Of times 1, 8 and 15.
      medianTime: 8,
      chainWork: second.chainWork,
      transactions: 2,
      next: third.hash.slice(),
      block: { file: 3, offset: second.index * 100, size: 200 },
      undo: { file: 3, offset: 50, size: 60 },
      pruned: false
    })
    assert.deepStrictEqual([first, third].map((node) => blockFacts(tree, node).confirmations), [3, 1])
    assert.deepStrictEqual([blockFacts(tree, third).next, blockFacts(tree, third).undo], [undefined, undefined])
  })

  it("say of one outside the active chain that nothing follows it there", () => {
    const { blocks, side, tree } = place()
    for (const node of [side, blocks[4]!]) {
      const { confirmations, next } = blockFacts(tree, node)
      assert.deepStrictEqual([confirmations, next], [-1, undefined])
    }
    assert.deepInclude(blockFacts(tree, side), { block: undefined, transactions: 0, pruned: false })
  })

  it("say of one that was pruned that it was here", () => {
    const { blocks, tree } = place()
    forgetPlaces(tree, blocks[1]!)
    assert.deepInclude(blockFacts(tree, blocks[1]!), { block: undefined, transactions: 2, pruned: true })
  })
})
