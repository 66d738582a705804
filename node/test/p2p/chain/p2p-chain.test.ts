import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes/equal.ts"
import * as Effect from "effect/Effect"
import type { P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import type { RunningEngine } from "../../../src/engine/engine.ts"
import { HeaderStatus } from "../../../src/engine/header-tree/header-status.ts"
import { has, nodeOf } from "../../../src/engine/header-tree/header-tree.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testEngine } from "../../engine/test-engine.ts"
import { testP2pChain } from "./test-p2p-chain.ts"

const request = (blocks: number, script = 0x51) =>
  ({ script: Uint8Array.of(script), blocks, maxTries: 1_000_000, transactions: [], submit: true })

/** Raw blocks that another node mined, the first on top of the genesis block. */
const minedElsewhere = Effect.fnUntraced(function*(count: number) {
  const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
  const blocks: Array<Uint8Array> = []
  for (let i = 0; i < count; i++) {
    const { block } = yield* call("generate", { ...request(1), submit: false })
    yield* call("submitBlock", { bytes: block! })
    blocks.push(block!)
  }
  assert.strictEqual(chain.tree.tip.height, count)
  return blocks
})

const headersOf = (blocks: ReadonlyArray<Uint8Array>): Uint8Array => concatBytes(blocks.map((block) => block.slice(0, 80)))

/** Waits until the copy's tip is at a height. */
const untilHeight = (chain: P2pChain, height: number) =>
  Effect.callback<void>((resume) => {
    if (chain.tree.tip.height >= height) return resume(Effect.void)
    const stop = chain.listen({
      tip: (tip) => {
        if (tip.height < height) return
        stop()
        resume(Effect.void)
      }
    })
  }).pipe(Effect.timeout("5 seconds"))

const assertSame = ({ chain: { tree } }: RunningEngine, { tree: copy }: P2pChain): void => {
  assert.strictEqual(copy.nodes.length, tree.nodes.length)
  const count = tree.nodes.length
  assert.deepStrictEqual(copy.columns.status.slice(0, count), tree.columns.status.slice(0, count))
  assert.deepStrictEqual(copy.nodes.map(({ hash }) => hash), tree.nodes.map(({ hash }) => hash))
  assert.strictEqual(copy.tip.index, tree.tip.index)
  assert.strictEqual(copy.bestHeader.index, tree.bestHeader.index)
  assert.deepStrictEqual(copy.active.slice(0, tree.tip.height + 1), tree.active.slice(0, tree.tip.height + 1))
}

describe("the chain of the network layer", () => {
  it.live("takes in headers, then blocks in any order, and shows each step before it answers", () =>
    Effect.gen(function*() {
      const blocks = yield* minedElsewhere(12)
      const { chain, engine } = yield* testP2pChain({ directory: yield* temporaryDirectory })
      assert.deepStrictEqual(yield* chain.acceptHeaders(headersOf(blocks)), { accepted: 12, rejection: undefined })
      assert.strictEqual(chain.tree.bestHeader.height, 12)
      assert.strictEqual(chain.state().headersHeight, 12)
      const judged: Array<number> = []
      chain.listen({ judged: (node, rejection) => judged.push(rejection === undefined ? node.height : -1) })
      for (const block of [...blocks].reverse()) {
        const answer = yield* chain.acceptBlock(block.slice(), true)
        assert.isTrue(answer.isNew)
        assert.isTrue(has(chain.tree, nodeOf(chain.tree, answer.hash)!, HeaderStatus.STORED))
      }
      yield* untilHeight(chain, 12)
      assert.deepStrictEqual(judged, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
      assertSame(engine, chain)
      assert.deepStrictEqual(yield* chain.blockBytes(chain.tree.tip), blocks[11])
      assert.isFalse((yield* chain.acceptBlock(blocks[3]!.slice(), true)).isNew)
    }))
})
