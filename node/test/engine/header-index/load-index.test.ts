import { assert, describe, it } from "@effect/vitest"
import { bestCandidate } from "../../../src/engine/header-index/candidates.ts"
import { setBlockPlace, setUndoPlace } from "../../../src/engine/header-index/block-place.ts"
import { ENTRY_SIZE, putChangedEntries, readEntry } from "../../../src/engine/header-index/header-entry.ts"
import {
  clearStatus,
  type HeaderIndex,
  isLinked,
  nodeOf,
  setStatus
} from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { headerIndexLoader } from "../../../src/engine/header-index/load-index.ts"
import { markInvalid } from "../../../src/engine/header-index/mark-invalid.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import type { KeyValue } from "../../../src/storage/key-value/key-value-store.ts"
import { freshTree, GENESIS, grow, hashOf, store } from "./small-tree.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const written = (tree: HeaderIndex): ReadonlyArray<KeyValue> => {
  const entries: Array<KeyValue> = []
  putChangedEntries(tree, { put: (key, value) => entries.push([key, value]), remove: () => {} })
  return entries
}

/** All entries of a tree, in the order of their keys. */
const entriesOf = (tree: HeaderIndex): ReadonlyArray<KeyValue> => {
  for (const { index } of tree.nodes) tree.changed.add(index)
  return written(tree).toSorted(([a], [b]) => Buffer.compare(a, b))
}

const finished = (tree: HeaderIndex, tip: HeaderIndexNode): HeaderIndex | string => {
  const loader = headerIndexLoader(hashOf(GENESIS))
  for (const entry of entriesOf(tree)) assert.isUndefined(loader.add(entry))
  return loader.finish(tip.hash)
}

const loaded = (tree: HeaderIndex): HeaderIndex => {
  const again = finished(tree, tree.tip)
  return typeof again === "string" ? assert.fail(again) : again
}

/** A tree whose blocks of the main chain, so many, are connected. */
const connectedTree = (count: number) => {
  const tree = freshTree()
  const chain = [tree.tip]
  for (let i = 0; i < count; i++) {
    const node = grow(tree, chain.at(-1)!)
    store(tree, node)
    setStatus(tree, node, HeaderStatus.CONNECTED)
    setTip(tree, node)
    chain.push(node)
  }
  return { tree, chain }
}

describe("an entry of the header index", () => {
  const tree = freshTree()
  const node = grow(tree, tree.tip)
  setBlockPlace(tree, node, { file: 0x01020304, offset: 0x05060708, size: 0x090a0b0c }, 0x0d0e0f10)
  setUndoPlace(tree, node, { file: 0x11121314, offset: 0x15161718, size: 0x191a1b1c })
  setStatus(tree, node, HeaderStatus.LINKED | HeaderStatus.PRUNED)

  it("is its header, its status without links, and transactions and places in four bytes each, big-endian", () => {
    tree.changed.clear()
    tree.changed.add(node.index)
    const [entry, ...others] = written(tree)
    assert.lengthOf(others, 0)
    assert.strictEqual(hex(entry![0]), `6800000001${hex(node.hash)}`)
    assert.strictEqual(
      hex(entry![1]),
      `${hex(node.header.bytes)}130d0e0f100102030405060708090a0b0c1112131415161718191a1b1c`
    )
    assert.strictEqual(ENTRY_SIZE, 109)
  })

  it("is read wherever in a buffer it lies, and never says that a block is linked", () => {
    const [, value] = entriesOf(tree).find(([key]) => key[4] === 1)!
    const wider = new Uint8Array(ENTRY_SIZE + 9).fill(0xee)
    wider.set(value, 7)
    wider[7 + 80] = 0xff
    const other = freshTree()
    const { index } = grow(other, other.tip)
    readEntry(other, index, wider.subarray(7, 7 + ENTRY_SIZE))
    const { blockFile, blockOffset, blockSize, status, transactions, undoFile, undoOffset, undoSize } = other.columns
    assert.deepStrictEqual(
      [status, transactions, blockFile, blockOffset, blockSize, undoFile, undoOffset, undoSize].map((of) => of[index]),
      [0xdf, 0x0d0e0f10, 0x01020304, 0x05060708, 0x090a0b0c, 0x11121314, 0x15161718, 0x191a1b1c]
    )
  })

  it("is written behind that of its parent, whatever changed first", () => {
    const { chain, tree: long } = connectedTree(6)
    long.changed.clear()
    for (const { index } of [4, 2, 6, 1].map((height) => chain[height]!)) long.changed.add(index)
    assert.deepStrictEqual(written(long).map(([key]) => key[4]), [1, 2, 4, 6])
  })
})

describe("a header index that is loaded", () => {
  it("has its tip, to which no branch of equal work is preferred", () => {
    const { chain, tree } = connectedTree(3)
    const side = grow(tree, chain[2]!)
    store(tree, side)
    const again = loaded(tree)
    assert.strictEqual(again.tip.height, 3)
    assert.deepStrictEqual(again.tip.hash, tree.tip.hash)
    const sequences = chain.map(({ hash }) => again.columns.sequence[nodeOf(again, hash)!.index])
    assert.deepStrictEqual([...sequences, again.columns.sequence[nodeOf(again, side.hash)!.index]], [0, 0, 0, 0, 1])
    assert.sameMembers([...again.candidates].map(({ hash }) => hex(hash)), [hex(tree.tip.hash), hex(side.hash)])
    assert.strictEqual(bestCandidate(again), again.tip)
    assert.deepStrictEqual(again.changed.size, 0)
  })

  it("takes a linked block with more work for the next tip, and none that is invalid or waits for another", () => {
    const { tree } = connectedTree(2)
    const next = grow(tree, tree.tip)
    store(tree, next)
    const invalid = grow(tree, next)
    store(tree, invalid)
    markInvalid(tree, invalid)
    const missing = grow(tree, next)
    const waiting = grow(tree, missing)
    store(tree, waiting)
    const again = loaded(tree)
    assert.deepStrictEqual(bestCandidate(again).hash, next.hash)
    assert.deepStrictEqual(again.bestHeader.hash, waiting.hash)
    const [missingAgain, waitingAgain] = [nodeOf(again, missing.hash)!, nodeOf(again, waiting.hash)!]
    assert.deepStrictEqual([isLinked(again, missingAgain), isLinked(again, waitingAgain)], [false, false])
    assert.deepStrictEqual([...again.unlinked], [[missingAgain.index, [waitingAgain]]])
    store(again, missingAgain)
    assert.strictEqual(bestCandidate(again), waitingAgain)
    assert.strictEqual(again.columns.chainTransactions[waitingAgain.index], 1 + 2 * 5)
  })

  it("has the best header of no invalid chain, and of equal work the first", () => {
    const { tree } = connectedTree(2)
    const [one, other] = [grow(tree, tree.tip), grow(tree, tree.tip)]
    const worse = grow(tree, one)
    markInvalid(tree, worse)
    const first = [one, other].toSorted((a, b) => Buffer.compare(a.hash, b.hash))[0]!
    assert.deepStrictEqual(loaded(tree).bestHeader.hash, first.hash)
  })

  it.each<readonly [string, (tree: HeaderIndex, tip: HeaderIndexNode) => void]>([
    ["was not connected", (tree, tip) => clearStatus(tree, tip, HeaderStatus.CONNECTED)],
    ["is invalid", (tree, tip) => setStatus(tree, tip, HeaderStatus.INVALID)],
    ["has an ancestor that was never here", (tree, { parent }) => void (tree.columns.transactions[parent!.index] = 0)]
  ])("has no tip that %s", (_, change) => {
    const { tree } = connectedTree(3)
    change(tree, tree.tip)
    assert.strictEqual(
      finished(tree, tree.tip),
      "the tip in the store is not a connected block of the header tree"
    )
  })

  it("has a tip, and a genesis block before all others", () => {
    const loader = () => headerIndexLoader(hashOf(GENESIS))
    assert.strictEqual(loader().finish(hashOf(GENESIS)), "there is a tip, but no header tree")
    const { tree } = connectedTree(2)
    const unknown = grow(freshTree(), freshTree().tip)
    assert.strictEqual(finished(tree, unknown), "the tip is not in the header tree")
    const [genesis, first, second] = entriesOf(tree)
    assert.strictEqual(loader().add(first!), "the first header is not the genesis block of this network")
    const lone = loader()
    lone.add(genesis!)
    assert.strictEqual(lone.add(second!), "a header of the tree has no parent")
  })

  it("is made of keys and values of one size each", () => {
    const [[key, value]] = entriesOf(freshTree()) as [KeyValue]
    const longer = (bytes: Uint8Array) => new Uint8Array([...bytes, 0])
    for (
      const entry of [
        [longer(key), value],
        [key.subarray(0, 36), value],
        [key, longer(value)],
        [key, value.subarray(0, 108)]
      ] as const
    ) {
      assert.strictEqual(
        headerIndexLoader(hashOf(GENESIS)).add(entry),
        "an entry of the header tree has a wrong size"
      )
    }
  })
})
