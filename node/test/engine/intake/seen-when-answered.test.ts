import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { testP2pChain } from "../../p2p/chain/test-p2p-chain.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { mine } from "../mempool/loose-transactions.ts"
import { testEngine } from "../test-engine.ts"

const MINED = 1_750_000_000
const HEIGHT = 12

const minedChain = Effect.gen(function*() {
  const miner = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: MINED })
  yield* mine(miner, HEIGHT)
  const blocks: Array<Uint8Array> = []
  for (let height = 1; height <= HEIGHT; height++) {
    blocks.push((yield* loadBlock(miner.chain, activeAt(miner.chain.tree, height)!)).block.bytes.slice())
  }
  return blocks
}).pipe(Effect.scoped)

describe("a block of a peer, out of the initial download,", () => {
  it.live("is connected, on disk and seen by all when it is answered", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime: MINED })
      for (const [i, bytes] of (yield* minedChain).entries()) {
        const { isNew } = yield* chain.acceptBlock(bytes.slice(), true)
        assert.isTrue(isNew)
        if (i > 0) {
          assert.deepStrictEqual([chain.tree.tip.height, chain.state().height, engine.chain.dirty], [
            i + 1,
            i + 1,
            false
          ])
        }
      }
    }).pipe(Effect.scoped))

  it.live("is answered at once when the one before is missing, and both are connected when that has come", () =>
    Effect.gen(function*() {
      const { chain } = yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime: MINED })
      const blocks = yield* minedChain
      for (const bytes of blocks.slice(0, 5)) yield* chain.acceptBlock(bytes.slice(), true)
      for (const bytes of blocks) yield* chain.acceptHeaders(bytes.slice(0, 80))
      for (const bytes of blocks.slice(6).reverse()) {
        assert.isTrue((yield* chain.acceptBlock(bytes.slice(), true)).isNew)
      }
      assert.strictEqual(chain.tree.tip.height, 5)
      const [, again] = yield* Effect.all([
        chain.acceptBlock(blocks[5]!.slice(), true),
        chain.acceptBlock(blocks[5]!.slice(), true)
      ], { concurrency: 2 })
      assert.isFalse(again.isNew)
      assert.isAtLeast(chain.tree.tip.height, 6)
    }).pipe(Effect.scoped))
})

describe("blocks of the initial download", () => {
  it.live("are connected and seen by all once that was waited for, in any order of arrival", () =>
    Effect.gen(function*() {
      const later = MINED + 10 * 365 * 86_400
      const { chain } = yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime: later })
      const blocks = yield* minedChain
      for (const bytes of blocks) yield* chain.acceptHeaders(bytes.slice(0, 80))
      for (const bytes of blocks.slice(1).reverse()) yield* chain.acceptBlock(bytes.slice(), true)
      yield* chain.blocksConnected!
      assert.strictEqual(chain.tree.tip.height, 0, "nothing is waited for that cannot be connected")
      yield* chain.acceptBlock(blocks[0]!.slice(), true)
      yield* chain.blocksConnected!
      assert.isTrue(chain.state().initialBlockDownload)
      assert.isAtLeast(chain.tree.tip.height, 1)
      assert.strictEqual(chain.state().height, chain.tree.tip.height)
    }).pipe(Effect.scoped))
})
