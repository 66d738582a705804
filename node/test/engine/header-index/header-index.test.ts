import { assert, describe, it } from "@effect/vitest"
import { bytesEqual } from "@lockstep/kernel/bytes"
import { childOf, type HeaderNode, medianTimePast } from "@lockstep/kernel/chain"
import { headerOf } from "@lockstep/kernel/model"
import { activeAt, isActive, setTip } from "../../../src/engine/header-index/active-chain.ts"
import { blockPlace, setUndoPlace, undoPlace } from "../../../src/engine/header-index/block-place.ts"
import { bestCandidate, pruneCandidates } from "../../../src/engine/header-index/candidates.ts"
import { putChangedEntries } from "../../../src/engine/header-index/header-entry.ts"
import { childrenOf, type HeaderIndex, isInvalid, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { headerIndexLoader } from "../../../src/engine/header-index/load-index.ts"
import { markInvalid, unmarkInvalid } from "../../../src/engine/header-index/mark-invalid.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { KeyValue } from "../../../src/storage/key-value/key-value-store.ts"
import { randomFrom } from "../session.ts"
import { freshTree, GENESIS, grow, hashOf, store } from "./small-tree.ts"

const entriesOf = (tree: HeaderIndex): ReadonlyArray<KeyValue> => {
  const entries: Array<KeyValue> = []
  for (const { index } of tree.nodes) tree.changed.add(index)
  putChangedEntries(tree, { put: (key, value) => entries.push([key.slice(), value.slice()]), remove: () => {} })
  return entries.sort(([a], [b]) => Buffer.compare(a, b))
}

const load = (entries: ReadonlyArray<KeyValue>, tip: Uint8Array): HeaderIndex => {
  const loader = headerIndexLoader(hashOf(GENESIS))
  for (const entry of entries) assert.isUndefined(loader.add(entry))
  const tree = loader.finish(tip)
  if (typeof tree === "string") throw new Error(tree)
  return tree
}

describe("the header tree", () => {
  it("has the nodes that the kernel would make, and finds each by its hash", () => {
    const random = randomFrom(7)
    const tree = freshTree()
    const plain: Array<HeaderNode> = [childOf(undefined, headerOf(GENESIS), hashOf(GENESIS))]
    for (let i = 0; i < 3_000; i++) {
      // Mostly at the end, so that there is depth.
      const parent = tree.nodes[Math.max(0, Math.floor(tree.nodes.length - 1 - random() ** 6 * tree.nodes.length))]!
      const node = grow(tree, parent)
      plain.push(childOf(plain[parent.index], headerOf(node.header.bytes), node.hash))
    }
    for (const node of tree.nodes) {
      const expected = plain[node.index]!
      assert.strictEqual(node.height, expected.height)
      assert.strictEqual(node.chainWork, expected.chainWork)
      assert.strictEqual(node.skip?.height, expected.skip?.height)
      assert.deepStrictEqual(node.hash, expected.hash)
      const { bits, bytes, merkleRoot, nonce: number, previous, time, version } = node.header
      assert.deepStrictEqual({ bits, bytes, merkleRoot, nonce: number, previous, time, version }, expected.header)
      assert.strictEqual(medianTimePast(node), medianTimePast(expected))
      assert.strictEqual(nodeOf(tree, expected.hash), node)
      assert.isTrue(node.parent === undefined || childrenOf(tree, node.parent).includes(node))
    }
    assert.isUndefined(nodeOf(tree, new Uint8Array(32)))
  })

  it("keeps the active chain by height while the tip goes up and down", () => {
    const random = randomFrom(11)
    const tree = freshTree()
    for (let i = 0; i < 2_000; i++) {
      const up = random() < 0.6
      if (up) setTip(tree, grow(tree, tree.tip))
      else if (tree.tip.parent !== undefined) setTip(tree, tree.tip.parent)
    }
    const chain = new Set<HeaderIndexNode>()
    for (let at: HeaderIndexNode | undefined = tree.tip; at !== undefined; at = at.parent) {
      assert.strictEqual(activeAt(tree, at.height), at)
      chain.add(at)
    }
    for (const node of tree.nodes) assert.strictEqual(isActive(tree, node), chain.has(node))
    assert.isUndefined(activeAt(tree, tree.tip.height + 1))
  })

  it("links blocks that waited, in the order in which they came", () => {
    const tree = freshTree()
    const a = grow(tree, tree.tip)
    const [b1, b2] = [grow(tree, a), grow(tree, a)]
    const c = grow(tree, b1)
    for (const node of [c, b2, b1]) store(tree, node)
    assert.deepStrictEqual([...tree.candidates], [tree.tip])
    store(tree, a)
    assert.deepStrictEqual([...tree.candidates], [tree.tip, a, b2, b1, c])
    assert.isBelow(tree.columns.sequence[b2.index]!, tree.columns.sequence[b1.index]!)
    assert.strictEqual(tree.columns.chainTransactions[c.index], 7)
    assert.strictEqual(bestCandidate(tree), c)
    setTip(tree, c)
    pruneCandidates(tree)
    assert.deepStrictEqual([...tree.candidates], [c])
  })

  it("marks and unmarks branches, and knows the best header that is left", () => {
    const tree = freshTree()
    const a = grow(tree, tree.tip)
    const b = grow(tree, a)
    const c = grow(tree, b)
    const side = grow(tree, a)
    assert.strictEqual(tree.bestHeader, c)
    markInvalid(tree, b)
    assert.isTrue(isInvalid(tree, c))
    assert.isFalse(isInvalid(tree, side))
    assert.strictEqual(tree.bestHeader, side)
    unmarkInvalid(tree, c)
    assert.isFalse(isInvalid(tree, b))
    assert.strictEqual(tree.bestHeader, c)
  })

  it("is the same tree when it is loaded again", () => {
    const random = randomFrom(13)
    const tree = freshTree()
    for (let i = 0; i < 500; i++) {
      const node = grow(tree, tree.nodes[Math.floor((1 - random() ** 4) * tree.nodes.length)] ?? tree.tip)
      if (random() < 0.9) store(tree, node)
      if (random() < 0.1) setUndoPlace(tree, node, { file: 4, offset: 77, size: 99 })
      if (random() < 0.05) markInvalid(tree, node)
    }
    const loaded = load(entriesOf(tree), tree.tip.hash)
    assert.strictEqual(loaded.nodes.length, tree.nodes.length)
    assert.deepStrictEqual(loaded.bestHeader.chainWork, tree.bestHeader.chainWork)
    for (const node of tree.nodes) {
      const again = nodeOf(loaded, node.hash)!
      assert.strictEqual(again.height, node.height)
      assert.strictEqual(loaded.columns.status[again.index], tree.columns.status[node.index])
      assert.strictEqual(loaded.columns.chainTransactions[again.index], tree.columns.chainTransactions[node.index])
      assert.deepStrictEqual(blockPlace(loaded, again), blockPlace(tree, node))
      assert.deepStrictEqual(undoPlace(loaded, again), undoPlace(tree, node))
    }
  })

  it("says what is wrong with entries that make no tree", () => {
    const tree = freshTree()
    const node = grow(tree, tree.tip)
    const entries = entriesOf(tree)
    const ofOtherChain = headerIndexLoader(new Uint8Array(32))
    assert.include(ofOtherChain.add(entries[0]!), "genesis")
    const loader = headerIndexLoader(hashOf(GENESIS))
    assert.include(loader.add([entries[0]![0], new Uint8Array(3)]), "size")
    assert.isString(loader.finish(node.hash))
    for (const entry of entries) assert.isUndefined(loader.add(entry))
    assert.include(loader.finish(new Uint8Array(32)) as string, "tip")
    assert.include(loader.finish(node.hash) as string, "connected")
  })

  it("loads a hundred thousand headers", () => {
    const tree = freshTree()
    let at = tree.tip
    for (let i = 0; i < 100_000; i++) at = grow(tree, at)
    const loaded = load(entriesOf(tree), tree.tip.hash)
    assert.strictEqual(loaded.bestHeader.height, 100_000)
    assert.isTrue(bytesEqual(loaded.bestHeader.hash, at.hash))
    assert.strictEqual(loaded.bestHeader.chainWork, at.chainWork)
  })
})
