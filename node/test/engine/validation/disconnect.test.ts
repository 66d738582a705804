import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { forgetPlaces } from "../../../src/engine/header-index/block-place.ts"
import { disconnectWhile, loadUndo } from "../../../src/engine/validation/disconnect.ts"
import { displayHash } from "../../../src/hex.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { plantChain, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const CHAIN = plantChain(plantedRoot(), 4)

const started = Effect.gen(function*() {
  const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
  for (const { bytes } of CHAIN) yield* call("submitBlock", { bytes: bytes.slice() })
  return chain
})

describe("undo data", () => {
  it.live("that are not on disk are named with their block, and that the chain cannot go back behind it", () =>
    Effect.gen(function*() {
      const chain = yield* started
      const node = activeAt(chain.tree, 3)!
      forgetPlaces(chain.tree, node)
      const error = yield* Effect.flip(loadUndo(chain, node))
      assert.deepInclude(error, { part: "undo-files", operation: "read undo data", reason: "missing" })
      assert.match(
        error.message,
        new RegExp(`of block ${displayHash(node.hash)} at height 3 are not on disk: the chain`)
      )
    }))

  it.live("that make no sense, or that are of another block, are damaged, and the tip stays", () =>
    Effect.gen(function*() {
      const chain = yield* started
      const { tip } = chain.tree
      const coin = { value: 1n, script: Uint8Array.of(0x51), height: 1, isCoinbase: false }
      for (const undo of [undefined, { spent: [[coin]], replaced: [] }]) {
        const engine = { ...chain, undoCodec: { ...chain.undoCodec, decode: () => undo } }
        const error = yield* Effect.flip(disconnectWhile(engine, ({ height }) => height > 3))
        assert.deepInclude(error, { part: "undo-files", operation: "read undo data", reason: "corrupt" })
        assert.match(error.message, /at height 4 are damaged: the chain/)
        assert.strictEqual(chain.tree.tip, tip)
      }
      yield* disconnectWhile(chain, ({ height }) => height > 3)
      assert.strictEqual(chain.tree.tip.height, 3)
    }))
})
