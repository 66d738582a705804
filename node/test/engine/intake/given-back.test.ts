import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ChainHook } from "../../../src/engine/state/chain-hook.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { settled, testP2pChain } from "../../p2p/chain/test-p2p-chain.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { coinbaseAt, loose, mine } from "../mempool/loose-transactions.ts"
import { testEngine } from "../test-engine.ts"

const MINED = 1_750_000_000
const MONTH = 30 * 24 * 60 * 60
const HEIGHT = 102

/** A chain whose last block spends a coin. */
const minedChain = Effect.gen(function*() {
  const miner = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: MINED })
  yield* mine(miner, HEIGHT - 1)
  yield* mine(miner, 1, [loose({ inputs: [yield* coinbaseAt(miner, 1)], values: [1_000_000n] })])
  const blocks: Array<Uint8Array> = []
  for (let height = 1; height <= HEIGHT; height++) {
    blocks.push((yield* loadBlock(miner.chain, activeAt(miner.chain.tree, height)!)).block.bytes.slice())
  }
  return blocks
}).pipe(Effect.scoped)

/** Takes the chain in at this time, and answers how many bytes each block has in memory afterwards. */
const leftAfter = Effect.fnUntraced(function*(blocks: ReadonlyArray<Uint8Array>, mockTime: number, hook?: ChainHook) {
  const { chain, engine } = yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime })
  if (hook !== undefined) engine.chain.hooks.push(hook)
  const given = blocks.map((bytes) => bytes.slice())
  for (const bytes of given) yield* chain.acceptBlock(bytes, true)
  yield* settled(engine)
  const { recent, tree } = engine.chain
  assert.strictEqual(tree.tip.height, HEIGHT)
  for (let height = 1; height <= HEIGHT; height++) {
    const node = activeAt(tree, height)!
    assert.deepStrictEqual(
      (yield* loadBlock(engine.chain, node)).block.bytes,
      blocks[height - 1],
      "the caller has it whole"
    )
  }
  return { left: given.map(({ byteLength }) => byteLength), isKept: recent.get(tree.tip.index) !== undefined }
}, Effect.scoped)

describe("the bytes of a block that a peer sent", () => {
  it.live("are given back when it is connected in the initial download, and are on disk", () =>
    Effect.gen(function*() {
      const { isKept, left } = yield* leftAfter(yield* minedChain, MINED + MONTH)
      assert.deepStrictEqual(left, left.map(() => 0))
      assert.isFalse(isKept)
    }))

  it.live("are kept of the newest block near the tip, for the next caller", () =>
    Effect.gen(function*() {
      const blocks = yield* minedChain
      const { isKept, left } = yield* leftAfter(blocks, MINED)
      assert.strictEqual(left.at(-1), blocks.at(-1)!.length)
      assert.isTrue(isKept)
    }))

  it.live("are left to a subscriber that begins to follow while the block waits for its scripts", () =>
    Effect.gen(function*() {
      const blocks = yield* minedChain
      const received: Array<Uint8Array> = []
      let asked = 0
      // Idle when the block is begun with, and no longer when it is settled.
      const isIdle = (): boolean => asked++ % 2 === 0
      const { left } = yield* leftAfter(blocks, MINED + MONTH, {
        isIdle,
        connected: ({ block }) => void received.push(block.bytes)
      })
      assert.deepStrictEqual(received, blocks)
      assert.deepStrictEqual(left, blocks.map(({ length }) => length))
    }))

  it.live("are left to a subscriber that follows the chain", () =>
    Effect.gen(function*() {
      const blocks = yield* minedChain
      const received: Array<Uint8Array> = []
      const { left } = yield* leftAfter(blocks, MINED + MONTH, {
        connected: ({ block }) => void received.push(block.bytes)
      })
      assert.deepStrictEqual(received, blocks)
      assert.deepStrictEqual(left, blocks.map(({ length }) => length))
    }))
})
