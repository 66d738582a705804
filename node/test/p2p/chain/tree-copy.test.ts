import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import type { EngineNews } from "../../../src/engine/calls/engine-calls.ts"
import { setTip } from "../../../src/engine/header-tree/active-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-tree/header-status.ts"
import { addHeader, clearStatus, type HeaderTree, headerTree, nodeOf, setStatus } from "../../../src/engine/header-tree/header-tree.ts"
import { linkBlock, markLinked } from "../../../src/engine/header-tree/link-block.ts"
import { markInvalid, unmarkInvalid } from "../../../src/engine/header-tree/mark-invalid.ts"
import type { TreeNode } from "../../../src/engine/header-tree/tree-node.ts"
import { treeFeed } from "../../../src/engine/mirror/tree-feed.ts"
import { treeCopy } from "../../../src/p2p/chain/tree-copy.ts"
import { randomFrom } from "../../engine/session.ts"

const hashOf = (header: Uint8Array): Uint8Array => new Uint8Array(createHash("sha256").update(header).digest())

const headerOn = (previous: Uint8Array, tag: number): Uint8Array => {
  const header = new Uint8Array(80)
  header.set(previous, 4)
  const view = new DataView(header.buffer)
  view.setUint32(72, 0x207fffff, true)
  view.setUint32(76, tag, true)
  return header
}

const freshTree = (): HeaderTree => {
  const genesis = headerOn(new Uint8Array(32), 0)
  const tree = headerTree(genesis, hashOf(genesis))
  markLinked(tree, tree.tip)
  return tree
}

const grow = (tree: HeaderTree, parent: TreeNode): TreeNode => {
  const header = headerOn(parent.hash, tree.nodes.length)
  return addHeader(tree, parent, header, hashOf(header))
}

const assertSame = (copy: HeaderTree, tree: HeaderTree): void => {
  const count = tree.nodes.length
  assert.strictEqual(copy.nodes.length, count)
  assert.deepStrictEqual(copy.columns.status.slice(0, count), tree.columns.status.slice(0, count))
  assert.strictEqual(copy.tip.index, tree.tip.index)
  assert.strictEqual(copy.bestHeader.index, tree.bestHeader.index)
  const { height } = tree.tip
  assert.deepStrictEqual(copy.active.slice(0, height + 1), tree.active.slice(0, height + 1))
  for (const node of tree.nodes) {
    const same = nodeOf(copy, node.hash)!
    if (same.index !== node.index || same.chainWork !== node.chainWork || same.skip?.index !== node.skip?.index) {
      assert.fail(`header ${node.index} is not the same`)
    }
  }
}

/** Changes something. */
const disturb = (tree: HeaderTree, random: () => number): void => {
  const node = tree.nodes[1 + Math.floor(random() * (tree.nodes.length - 1))]!
  const dice = random()
  if (dice < 0.3) grow(tree, node)
  else if (dice < 0.4) setTip(tree, node)
  else if (dice < 0.5) markInvalid(tree, node)
  else if (dice < 0.6) unmarkInvalid(tree, node)
  else if (dice < 0.8) linkBlock(tree, node)
  else if (dice < 0.9) setStatus(tree, node, HeaderStatus.STORED)
  else clearStatus(tree, node, HeaderStatus.STORED)
}

describe("the copy of the header tree", () => {
  it("is whole after many pieces, between which the tree goes on changing, and stays so", () => {
    const random = randomFrom(20_261_121)
    const tree = freshTree()
    let tip = tree.tip
    for (let i = 0; i < 20_000; i++) {
      const next = grow(tree, random() < 0.95 ? tip : tree.nodes[Math.floor(random() * tree.nodes.length)]!)
      if (next.height > tip.height) tip = next
    }
    setTip(tree, tip)
    const told: Array<EngineNews> = []
    const feed = treeFeed(tree, (news) => told.push(news))
    const copy = treeCopy()
    let pieces = 0
    for (let isLast = false; !isLast; pieces++) {
      const slice = feed.slice(pieces === 0 ? 0 : copy.tree().nodes.length)
      isLast = slice.isLast
      copy.takeSlice(slice)
      if (isLast) break
      assert.isFalse(feed.isFollowed())
      for (let i = 0; i < 20; i++) disturb(tree, random)
      feed.flush()
      assert.lengthOf(told, 0, "nothing is told before the copy is whole")
    }
    assert.isAbove(pieces, 1)
    assertSame(copy.tree(), tree)
    for (let round = 0; round < 40; round++) {
      for (let i = 0; i < 5; i++) disturb(tree, random)
      feed.flush()
      for (const news of told.splice(0)) if (news._tag === "Tree") copy.take(news.update)
    }
    assertSame(copy.tree(), tree)
    feed.flush()
    assert.lengthOf(told, 0, "there is nothing new")
  })

  it("can be begun anew", () => {
    const tree = freshTree()
    const feed = treeFeed(tree, () => {})
    for (let i = 0; i < 3; i++) {
      grow(tree, tree.bestHeader)
      const copy = treeCopy()
      copy.takeSlice(feed.slice(0))
      assertSame(copy.tree(), tree)
    }
  })
})
