import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { blockPlaces, PLACES_AT_ONCE } from "../../../src/p2p/chain/block-places.ts"
import type { FilePosition } from "../../../src/storage/block-files/block-files.ts"
import { plantChain, PLANTED_AT, plantedRoot } from "../../engine/planted-blocks.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { settled, testP2pChain } from "./test-p2p-chain.ts"

const BLOCKS = plantChain(plantedRoot(), 150)

/** So old a tip means an initial download, in which the engine does not say where it has put each block. */
const AGE = 2 * 86_400

/** A chain of which the first `stored` blocks are here. */
const planted = Effect.fnUntraced(function*(stored: number) {
  const found = yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT + AGE })
  for (const { bytes } of BLOCKS.slice(0, stored)) yield* found.chain.acceptBlock(bytes.slice(), true)
  yield* settled(found.engine)
  return { ...found, at: (height: number) => nodeOf(found.chain.tree, BLOCKS[height - 1]!.node.hash)! }
})

const place = (index: number): FilePosition => ({ file: 0, offset: index, size: 1 })

describe("where blocks are", () => {
  it.live("is asked for many at a time, in the order of the chain", () =>
    Effect.gen(function*() {
      const { at, chain: { tree } } = yield* planted(150)
      const asked: Array<ReadonlyArray<number>> = []
      const places = blockPlaces(tree, (indexes) =>
        Effect.sync(() => {
          asked.push([...indexes].map((index) => tree.nodes[index]!.height))
          return Array.from(indexes, place)
        }))
      for (let height = 1; height <= 150; height++) {
        assert.deepStrictEqual(yield* places.of(at(height)), place(at(height).index))
      }
      assert.deepStrictEqual(asked.map((heights) => [heights[0], heights.length]), [[1, PLACES_AT_ONCE], [
        65,
        PLACES_AT_ONCE
      ], [129, 22]])
      places.forget(at(70))
      yield* places.of(at(70))
      assert.deepStrictEqual(asked.at(-1), [70])
    }))

  it.live("and every block is read as it came, also where it was removed and fetched again since the engine was asked", () =>
    Effect.gen(function*() {
      const { at, chain, engine } = yield* planted(100)
      const { blockFile } = engine.chain.tree.columns
      blockFile[at(50).index] = 7
      assert.deepStrictEqual(yield* chain.blockBytes(at(49)), BLOCKS[48]!.bytes)
      assert.isUndefined(yield* chain.blockBytes(at(50)))
      for (const height of [51, 99, 100]) {
        assert.deepStrictEqual(yield* chain.blockBytes(at(height)), BLOCKS[height - 1]!.bytes)
      }
      blockFile[at(50).index] = 0
      assert.deepStrictEqual(yield* chain.blockBytes(at(50)), BLOCKS[49]!.bytes)
    }))
})
