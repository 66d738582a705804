import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { blockPlace, forgetPlaces } from "../../../src/engine/header-index/block-place.ts"
import { isLinked, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, type Planned, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const main = plantChain(plantedRoot(), 3)
const side = plantChain(plantedRoot(), 5, 64)

const opened = Effect.gen(function*() {
  const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
  const { tree } = chain
  const nodeAt = (block: Planned) => nodeOf(tree, block.node.hash)!
  return {
    tree,
    nodeAt,
    tip: () => tree.tip.hash,
    receive: (blocks: ReadonlyArray<Planned>) =>
      Effect.forEach(blocks, (block) => call("submitBlock", { bytes: block.bytes.slice() })),
    learn: (blocks: ReadonlyArray<Planned>) =>
      call("acceptHeaders", { headers: concatBytes(blocks.map(({ bytes }) => bytes.subarray(0, 80))) }),
    prune: (blocks: ReadonlyArray<Planned>) => {
      for (const block of blocks) {
        forgetPlaces(tree, nodeAt(block))
        chain.recent.remove(nodeAt(block).index)
      }
    }
  }
})

describe("a pruned block that is received again", () => {
  it.live("lets the chain reach blocks above it that were given up while it was missing", () =>
    Effect.gen(function*() {
      const { prune, receive, tip } = yield* opened
      yield* receive([...main, ...side.slice(0, 2)])
      prune(side.slice(0, 2))
      yield* receive(side.slice(2))
      assert.deepStrictEqual(tip(), main[2]!.node.hash, "two blocks on the way are not here")
      yield* receive([side[1]!])
      assert.deepStrictEqual(tip(), main[2]!.node.hash, "one block on the way is not here")
      yield* receive([side[0]!])
      assert.deepStrictEqual(tip(), side[4]!.node.hash)
    }).pipe(Effect.scoped))

  it.live("waits for the block before it as it did, and is not linked twice", () =>
    Effect.gen(function*() {
      const { learn, nodeAt, prune, receive, tip, tree } = yield* opened
      yield* learn(side)
      yield* receive(side.slice(1))
      prune([side[1]!])
      yield* receive([side[1]!])
      assert.isFalse(isLinked(tree, nodeAt(side[1]!)))
      yield* receive([side[0]!])
      assert.deepStrictEqual(tip(), side[4]!.node.hash)
      assert.strictEqual(tree.columns.chainTransactions[nodeAt(side[4]!).index], 6)
      assert.strictEqual(tree.unlinked.size, 0)
    }).pipe(Effect.scoped))

  it.live("leaves the chain and its candidates as they are when it is one of the active chain", () =>
    Effect.gen(function*() {
      const { nodeAt, prune, receive, tip, tree } = yield* opened
      yield* receive(main)
      prune([main[0]!])
      yield* receive([main[0]!])
      assert.deepStrictEqual(tip(), main[2]!.node.hash)
      assert.deepStrictEqual([...tree.candidates], [nodeAt(main[2]!)])
      assert.isDefined(blockPlace(tree, nodeAt(main[0]!)))
    }).pipe(Effect.scoped))
})

describe("a block that is about to be the tip", () => {
  it.live("is reported after its header, so that the replica of the header index knows it", () =>
    Effect.gen(function*() {
      const news: Array<string> = []
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        news: (each) => {
          if (each._tag === "Tree") news.push(`headers from ${each.update.from}`)
          if (each._tag === "NewBlock") news.push(`block ${each.index}`)
        }
      })
      const submit = (block: Planned) => call("submitBlock", { bytes: block.bytes.slice() })
      chain.initialBlockDownload = false
      yield* submit(main[0]!)
      assert.deepStrictEqual(news, [], "there is no replica")
      chain.feed.slice(0)
      yield* submit(main[1]!)
      assert.deepStrictEqual(news.slice(0, 2), ["headers from 2", "block 2"])
    }).pipe(Effect.scoped))
})
