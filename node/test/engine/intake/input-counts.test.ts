import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { EXTENSIONS } from "../../../src/engine-worker/extensions.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { chainState } from "../../../src/engine/chainstate/push-state.ts"
import { listeners } from "../../../src/engine/validation/connecting-block.ts"
import { settled, testP2pChain } from "../../p2p/chain/test-p2p-chain.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { coinbaseAt, loose, mine, outputOf } from "../mempool/loose-transactions.ts"
import { testEngine } from "../test-engine.ts"

const NOW = 1_750_000_000

describe("inputs of blocks that come from peers", () => {
  it.live("are counted when a block connects, in whatever order blocks come, and no block is kept decoded for that", () =>
    Effect.gen(function*() {
      const miner = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: NOW })
      yield* mine(miner, 102)
      const split = loose({
        inputs: [yield* coinbaseAt(miner, 1)],
        values: [1_000_000_000n, 1_000_000_000n, 1_000_000_000n]
      })
      const joined = loose({ inputs: [0, 1, 2].map((vout) => outputOf(split, vout)), values: [2_000_000_000n] })
      yield* mine(miner, 1, [split, joined])
      yield* mine(miner, 1, [loose({ inputs: [yield* coinbaseAt(miner, 2)], values: [1_000_000n] })])
      const blocks = []
      for (let height = 1; height <= 104; height++) {
        blocks.push((yield* loadBlock(miner.chain, activeAt(miner.chain.tree, height)!)).block)
      }

      const { chain, engine } = yield* testP2pChain({
        directory: yield* temporaryDirectory,
        mockTime: NOW,
        extensions: EXTENSIONS
      })
      yield* chain.acceptHeaders(Uint8Array.from(blocks.flatMap(({ header }) => [...header.bytes])))
      for (const { bytes } of blocks.slice(50).reverse()) yield* chain.acceptBlock(bytes.slice(), true)
      assert.deepStrictEqual([engine.chain.tree.tip.height, engine.chain.inputs], [0, 0])
      for (const { bytes } of blocks.slice(0, 50)) yield* chain.acceptBlock(bytes.slice(), true)
      yield* settled(engine)
      assert.strictEqual(engine.chain.tree.tip.height, 104)
      assert.strictEqual(chainState(engine.chain).inputs, 1 + 3 + 1)
      // Out of the initial download the mempool and the fee estimator follow every block.
      engine.chain.initialBlockDownload = true
      assert.deepStrictEqual(listeners(engine.chain), [])
    }))
})
