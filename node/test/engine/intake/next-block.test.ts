import { assert, describe, it } from "vitest"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { forgetPlaces } from "../../../src/engine/header-index/block-place.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { markInvalid } from "../../../src/engine/header-index/mark-invalid.ts"
import { makeRoute, type Next } from "../../../src/engine/intake/next-block.ts"
import { freshTree, grow, store } from "../header-index/small-tree.ts"

const isBlock = (next: Next, node: HeaderIndexNode): boolean => next._tag === "Block" && next.node === node

/** A chain of four blocks on genesis, all of them here, and none of them connected. */
const withFour = () => {
  const tree = freshTree()
  const blocks: Array<HeaderIndexNode> = []
  for (let i = 0; i < 4; i++) {
    const node = grow(tree, blocks.at(-1) ?? tree.tip)
    store(tree, node)
    blocks.push(node)
  }
  return { tree, blocks, route: makeRoute(tree) }
}

describe("the way to the best chain", () => {
  it("leads from the tip block by block, also while none of them is the tip yet, and ends", () => {
    const { blocks, route, tree } = withFour()
    let from = tree.tip
    for (const block of blocks) {
      assert.isTrue(isBlock(route.next(from), block))
      from = block
    }
    assert.strictEqual(route.next(from)._tag, "Nothing")
    for (const block of blocks) setTip(tree, block)
    assert.strictEqual(route.next(tree.tip)._tag, "Nothing")
  })

  it("goes on with blocks that arrive meanwhile", () => {
    const { blocks, route, tree } = withFour()
    assert.isTrue(isBlock(route.next(blocks[2]!), blocks[3]!))
    const late = grow(tree, blocks[3]!)
    assert.strictEqual(route.next(blocks[3]!)._tag, "Nothing")
    store(tree, late)
    assert.isTrue(isBlock(route.next(blocks[3]!), late))
  })

  it("is another branch where that has more work than what is being connected, and nothing where it has as much", () => {
    const { blocks: [, , third], route, tree } = withFour()
    const first = third!.parent!.parent!
    // Only these two are left of the four, and the side branch came later.
    markInvalid(tree, third!)
    const side = grow(tree, first)
    store(tree, side)
    assert.strictEqual(route.next(third!.parent!)._tag, "Nothing", "it is the best itself")
    assert.strictEqual(route.next(side)._tag, "Nothing", "the other one came first, but has no more work")
    const longer = grow(tree, side)
    store(tree, longer)
    assert.strictEqual(route.next(third!.parent!)._tag, "OtherBranch")
    assert.isTrue(isBlock(route.next(side), longer))
  })

  it("is another branch of as much work as the tip where that counts as the one that came first", () => {
    const { blocks, route, tree } = withFour()
    for (const block of blocks) setTip(tree, block)
    const side = grow(tree, blocks[2]!)
    store(tree, side)
    assert.strictEqual(route.next(tree.tip)._tag, "Nothing", "it came later")
    tree.columns.sequence[side.index] = -1
    tree.candidates.add(side)
    assert.strictEqual(route.next(tree.tip)._tag, "OtherBranch")
  })

  it("is sought anew where the next block is invalid, not here any more, or not on what is being connected", () => {
    const invalid = withFour()
    invalid.route.next(invalid.tree.tip)
    markInvalid(invalid.tree, invalid.blocks[1]!)
    assert.strictEqual(invalid.route.next(invalid.blocks[0]!)._tag, "Nothing")

    const pruned = withFour()
    pruned.route.next(pruned.tree.tip)
    forgetPlaces(pruned.tree, pruned.blocks[1]!)
    setTip(pruned.tree, pruned.blocks[0]!)
    assert.strictEqual(pruned.route.next(pruned.blocks[0]!)._tag, "Nothing")

    const { blocks, route, tree } = withFour()
    route.next(tree.tip)
    assert.isTrue(isBlock(route.next(blocks[2]!), blocks[3]!))
  })

  it("stays on the way that was begun while a better one arrives, and is sought anew at the end of it", () => {
    const { blocks, route, tree } = withFour()
    route.next(tree.tip)
    const side = grow(tree, blocks[0]!)
    const end = [grow(tree, side)]
    for (let i = 0; i < 3; i++) end.push(grow(tree, end.at(-1)!))
    for (const node of [side, ...end]) store(tree, node)
    assert.isTrue(isBlock(route.next(blocks[0]!), blocks[1]!))
    assert.isTrue(isBlock(route.next(blocks[0]!), side), "that one is not on top")
  })
})
