import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import {
  addHeader,
  clearStatus,
  type HeaderIndex,
  headerIndex,
  nodeOf,
  setStatus
} from "../../../src/engine/header-index/header-index.ts"
import { linkBlock, markLinked } from "../../../src/engine/header-index/link-block.ts"
import { markInvalid, unmarkInvalid } from "../../../src/engine/header-index/mark-invalid.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { headerIndexReplication } from "../../../src/engine/state/header-index-replication.ts"
import { headerIndexReplica } from "../../../src/p2p/chain/header-index-replica.ts"
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

const freshTree = (): HeaderIndex => {
  const genesis = headerOn(new Uint8Array(32), 0)
  const tree = headerIndex(genesis, hashOf(genesis))
  markLinked(tree, tree.tip)
  return tree
}

const grow = (tree: HeaderIndex, parent: HeaderIndexNode): HeaderIndexNode => {
  const header = headerOn(parent.hash, tree.nodes.length)
  return addHeader(tree, parent, header, hashOf(header))
}

const assertSame = (copy: HeaderIndex, tree: HeaderIndex): void => {
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
const disturb = (tree: HeaderIndex, random: () => number): void => {
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
    const observed: Array<EngineNotification> = []
    const feed = headerIndexReplication(tree, (news) => observed.push(news))
    const copy = headerIndexReplica()
    let pieces = 0
    for (let isLast = false; !isLast; pieces++) {
      const slice = feed.slice(pieces === 0 ? 0 : copy.tree().nodes.length)
      isLast = slice.isLast
      copy.takeSlice(slice)
      if (isLast) break
      assert.isFalse(feed.isFollowed())
      for (let i = 0; i < 20; i++) disturb(tree, random)
      feed.flush()
      assert.lengthOf(observed, 0, "nothing is reported before the copy is whole")
    }
    assert.isAbove(pieces, 1)
    assertSame(copy.tree(), tree)
    for (let round = 0; round < 40; round++) {
      for (let i = 0; i < 5; i++) disturb(tree, random)
      feed.flush()
      for (const news of observed.splice(0)) if (news._tag === "Tree") copy.take(news.update)
    }
    assertSame(copy.tree(), tree)
    feed.flush()
    assert.lengthOf(observed, 0, "there is nothing new")
  })

  it("can be begun anew", () => {
    const tree = freshTree()
    const feed = headerIndexReplication(tree, () => {})
    for (let i = 0; i < 3; i++) {
      grow(tree, tree.bestHeader)
      const copy = headerIndexReplica()
      copy.takeSlice(feed.slice(0))
      assertSame(copy.tree(), tree)
    }
  })
})
