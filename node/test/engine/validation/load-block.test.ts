import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { identified } from "../../../src/engine/state/identified-block.ts"
import { blockPlace, forgetPlaces, setBlockPlace } from "../../../src/engine/header-index/block-place.ts"
import {
  damagedBlock,
  loadBlock,
  witnessesAreThere,
  witnessesAreWhole
} from "../../../src/engine/validation/load-block.ts"
import { blockOf } from "../../../src/engine/validation/read-block.ts"
import { displayHash } from "../../../src/hex.ts"
import { CORE_FILES } from "../../../src/storage/block-files/block-files.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { plantChain, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

/** A block of a coinbase alone without the witness of that: marker, flag, and 34 bytes before the lock time. */
const withoutWitness = (bytes: Uint8Array): Uint8Array =>
  concatBytes([bytes.subarray(0, 85), bytes.subarray(87, -38), bytes.subarray(-4)])

const CHAIN = plantChain(plantedRoot(), 4)

/** An engine that has the chain, but none of its blocks in memory. */
const started = Effect.gen(function*() {
  const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
  for (const { bytes } of CHAIN) yield* call("submitBlock", { bytes: bytes.slice() })
  for (const { index } of chain.tree.nodes) chain.recent.remove(index)
  return { chain, nodeAt: (height: number) => activeAt(chain.tree, height)! }
})

describe("a block from disk", () => {
  it.live("is said to be missing with its hash and height where no file has it", () =>
    Effect.gen(function*() {
      const { chain, nodeAt } = yield* started
      const node = nodeAt(2)
      assert.deepStrictEqual((yield* loadBlock(chain, node)).block.bytes, CHAIN[1]!.bytes)
      forgetPlaces(chain.tree, node)
      const error = yield* Effect.flip(loadBlock(chain, node))
      assert.deepInclude(error, { part: "block-files", operation: "read block", reason: "missing" })
      assert.match(
        error.message,
        new RegExp(`^The block ${displayHash(node.hash)} at height 2 is not on disk. .*rebuild`)
      )
    }))

  it.live("is said to be damaged with the file where another block is in its place", () =>
    Effect.gen(function*() {
      const { chain, nodeAt } = yield* started
      const node = nodeAt(2)
      setBlockPlace(chain.tree, node, blockPlace(chain.tree, nodeAt(3))!, 1)
      const error = yield* Effect.flip(loadBlock(chain, node))
      assert.deepInclude(error, {
        part: "block-files",
        operation: "read block",
        reason: "corrupt",
        path: join("blocks", "blk00000.dat")
      })
      const said = `is damaged: it does not hold the block ${displayHash(node.hash)} at height 2 any more`
      assert.include(error.message, said)
      assert.notInclude(error.message, "Bitcoin Core")
    }))

  it("is said to be damaged with the name that the file has, ours or Bitcoin Core's", () => {
    const node = { hash: new Uint8Array(32), height: 7 } as Parameters<typeof damagedBlock>[0]
    const shown = (file: number) => {
      const { message, path } = damagedBlock(node, file)
      return [path, message.includes("It belongs to Bitcoin Core")]
    }
    assert.deepStrictEqual([5, CORE_FILES - 1, CORE_FILES, CORE_FILES + 12].map(shown), [
      [join("blocks", "blk00005.dat"), false],
      [join("blocks", "blk999999.dat"), false],
      [join("blocks", "blk00000.dat"), true],
      [join("blocks", "blk00012.dat"), true]
    ])
  })

  it.live("is whole with its witnesses, or without any where its height wants none; wrong ones it never may have", () =>
    Effect.gen(function*() {
      const { chain, nodeAt } = yield* started
      const { bytes } = CHAIN[2]!
      const full = blockOf(bytes.slice())!
      assert.isTrue(full.transactions[0]!.hasWitness)
      // The nonce of the coinbase is the last witness before the lock time.
      const wrong = bytes.slice()
      wrong[wrong.length - 5]! ^= 1
      const segwitAt = (segwit: number) => ({
        ...chain,
        parameters: { ...chain.parameters, heights: { ...chain.parameters.heights, segwit } }
      })
      const answers = (block: typeof full) => {
        const found = identified(block, chain.crypto)
        return [
          witnessesAreWhole(chain, found),
          ...[2, 3, 4].map((height) => witnessesAreThere(segwitAt(height), nodeAt(3), found))
        ]
      }
      assert.deepStrictEqual(answers(full), [true, true, true, true])
      assert.deepStrictEqual(answers(blockOf(wrong)!), [false, false, false, false])
      assert.deepStrictEqual(answers(blockOf(withoutWitness(bytes))!), [true, false, false, true])
    }))
})
