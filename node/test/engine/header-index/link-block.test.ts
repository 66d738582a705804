import { assert, describe, it } from "vitest"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { forgetPlaces, setBlockPlace } from "../../../src/engine/header-index/block-place.ts"
import { bestCandidate, pruneCandidates } from "../../../src/engine/header-index/candidates.ts"
import { type HeaderIndex, isLinked } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { markAssumed, reviveCandidates } from "../../../src/engine/header-index/link-block.ts"
import { markInvalid } from "../../../src/engine/header-index/mark-invalid.ts"
import { freshTree, grow, store } from "./small-tree.ts"

const branch = (tree: HeaderIndex, from: HeaderIndexNode, length: number): ReadonlyArray<HeaderIndexNode> => {
  const nodes: Array<HeaderIndexNode> = []
  for (let i = 0; i < length; i++) {
    const node = grow(tree, nodes.at(-1) ?? from)
    store(tree, node)
    nodes.push(node)
  }
  return nodes
}

/** A chain of three blocks that is active, and a branch of five that was given up, since its first two are pruned. */
const givenUp = () => {
  const tree = freshTree()
  const genesis = tree.tip
  const main = branch(tree, genesis, 3)
  const side = branch(tree, genesis, 5)
  setTip(tree, main[2]!)
  for (const node of side.slice(0, 2)) forgetPlaces(tree, node)
  assert.strictEqual(bestCandidate(tree), main[2])
  pruneCandidates(tree)
  assert.deepStrictEqual([...tree.candidates], [main[2]])
  const receive = (node: HeaderIndexNode) => {
    setBlockPlace(tree, node, { file: 9, offset: 8, size: 200 }, 2)
    reviveCandidates(tree, node)
  }
  return { tree, main, side, receive }
}

describe("a pruned block that is received again", () => {
  it("makes the blocks above it candidates again, once all on the way are here", () => {
    for (const order of [[0, 1], [1, 0]]) {
      const { main, receive, side, tree } = givenUp()
      receive(side[order[0]!]!)
      assert.strictEqual(bestCandidate(tree), main[2])
      receive(side[order[1]!]!)
      assert.strictEqual(bestCandidate(tree), side[4])
    }
  })

  it("counts as received now, and so do the blocks above it that were given up", () => {
    const { receive, side, tree } = givenUp()
    receive(side[0]!)
    const { sequence } = tree.columns
    const { nextSequence } = tree
    receive(side[1]!)
    assert.deepStrictEqual(
      side.slice(1).map(({ index }) => sequence[index]),
      [nextSequence, nextSequence + 1, nextSequence + 2, nextSequence + 3]
    )
    assert.strictEqual(tree.nextSequence, nextSequence + 4)
    const before = [...sequence]
    reviveCandidates(tree, side[1]!)
    assert.deepStrictEqual([...sequence], before, "a block that is a candidate keeps its number")
  })

  it("makes no candidate of an invalid block, nor of one above it", () => {
    const { main, receive, side, tree } = givenUp()
    markInvalid(tree, side[3]!)
    for (const node of side.slice(0, 2)) receive(node)
    assert.deepStrictEqual([...tree.candidates], [main[2], ...side.slice(0, 3)])
  })

  it("makes no candidate of a block that is missing, nor of one above it", () => {
    const { main, receive, side, tree } = givenUp()
    forgetPlaces(tree, side[3]!)
    for (const node of side.slice(0, 2)) receive(node)
    assert.deepStrictEqual([...tree.candidates], [main[2], ...side.slice(0, 3)])
  })

  it("changes nothing when it is a block of the active chain", () => {
    const { main, receive, tree } = givenUp()
    forgetPlaces(tree, main[0]!)
    const { nextSequence } = tree
    receive(main[0]!)
    assert.deepStrictEqual([...tree.candidates], [main[2]])
    assert.strictEqual(tree.nextSequence, nextSequence)
  })

  it("changes nothing while a block before it was never here", () => {
    const tree = freshTree()
    const parent = grow(tree, tree.tip)
    const [child] = branch(tree, parent, 1)
    reviveCandidates(tree, child!)
    assert.isFalse(tree.candidates.has(child!))
    store(tree, parent)
    assert.strictEqual(bestCandidate(tree), child)
  })
})

describe("the block of a snapshot that is not confirmed", () => {
  it("is not left for a better chain, and is gone on from; once it is confirmed the best chain counts again", () => {
    const tree = freshTree()
    const genesis = tree.tip
    const main = branch(tree, genesis, 2)
    setTip(tree, main[1]!)
    tree.assumed = main[1]
    const other = branch(tree, genesis, 4)
    assert.strictEqual(bestCandidate(tree), main[1])
    const [next] = branch(tree, main[1]!, 1)
    assert.strictEqual(bestCandidate(tree), next)
    tree.assumed = undefined
    assert.strictEqual(bestCandidate(tree), other[3])
  })
})

describe("the block of a snapshot", () => {
  it("counts as linked with the transactions of its chain, and is sent to replicas", () => {
    const tree = freshTree()
    const base = grow(tree, grow(tree, tree.tip))
    tree.touched = new Set()
    markAssumed(tree, base, 7)
    assert.isTrue(isLinked(tree, base))
    assert.strictEqual(tree.columns.chainTransactions[base.index], 7)
    assert.strictEqual(tree.assumed, base)
    assert.deepStrictEqual([...tree.touched], [base.index])
  })
})
