import { assert, describe, it } from "vitest"
import { isInvalid } from "../../../src/engine/header-index/header-index.ts"
import { markChosenInvalid, markInvalid, unmarkInvalid } from "../../../src/engine/header-index/mark-invalid.ts"
import { freshTree, grow, store } from "./small-tree.ts"

/** Two headers on the genesis block, and three of another branch. */
const branches = () => {
  const tree = freshTree()
  const one = grow(tree, tree.tip)
  const two = grow(tree, one)
  const other = grow(tree, tree.tip)
  const best = grow(tree, grow(tree, other))
  return { tree, one, two, other, best }
}

describe("the invalid block with the most work", () => {
  it("is the last of a chain that breaks a rule, until a chain with more work breaks one", () => {
    const { best, one, other, tree, two } = branches()
    assert.isUndefined(tree.bestInvalid)
    markInvalid(tree, one)
    assert.strictEqual(tree.bestInvalid, two)
    assert.strictEqual(tree.bestHeader, best)
    markInvalid(tree, other)
    assert.strictEqual(tree.bestInvalid, best)
    assert.strictEqual(tree.bestHeader, tree.tip)
  })

  it("stays when a chain with less work breaks a rule", () => {
    const { best, one, other, tree } = branches()
    markInvalid(tree, other)
    markInvalid(tree, one)
    assert.strictEqual(tree.bestInvalid, best)
  })

  it("is the block that an operator chose, not those above it", () => {
    const { one, tree, two } = branches()
    markChosenInvalid(tree, one)
    assert.strictEqual(tree.bestInvalid, one)
    assert.isTrue(isInvalid(tree, two))
  })

  it("is forgotten once its mark is removed, but not with the mark of another", () => {
    const { best, one, other, tree, two } = branches()
    markInvalid(tree, one)
    markInvalid(tree, other)
    unmarkInvalid(tree, one)
    assert.deepStrictEqual([isInvalid(tree, one), isInvalid(tree, two)], [false, false])
    assert.strictEqual(tree.bestInvalid, best)
    assert.strictEqual(tree.bestHeader, two)
    unmarkInvalid(tree, best)
    assert.isUndefined(tree.bestInvalid)
    assert.isFalse(isInvalid(tree, other))
    assert.strictEqual(tree.bestHeader, best)
  })
})

describe("a header index", () => {
  it("tells replicas of each block that is linked because its parent arrived", () => {
    const tree = freshTree()
    const parent = grow(tree, tree.tip)
    const child = grow(tree, parent)
    store(tree, child)
    tree.touched = new Set()
    store(tree, parent)
    assert.deepStrictEqual(tree.touched, new Set([parent.index, child.index]))
  })

  it("names the block before each header, and begins with the number -1 for a block that an operator prefers", () => {
    const tree = freshTree()
    const child = grow(tree, tree.tip)
    assert.deepStrictEqual([...child.header.previous], [...tree.tip.hash])
    assert.strictEqual(tree.nextPrecious, -1)
  })
})
