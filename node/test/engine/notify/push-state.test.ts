import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { forgetPlaces } from "../../../src/engine/header-index/block-place.ts"
import { addHeader } from "../../../src/engine/header-index/header-index.ts"
import { chainState, pushState } from "../../../src/engine/chainstate/push-state.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot, plantOn } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const CHAIN = plantChain(plantedRoot(), 6)
const TIP = CHAIN[5]!.node

/** An engine at height six that knows one header more. */
const opened = Effect.gen(function*() {
  const news: Array<EngineNotification> = []
  const { call, chain } = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: PLANTED_AT,
    news: (each) => void news.push(each)
  })
  for (const { bytes } of CHAIN) yield* call("submitBlock", { bytes: bytes.slice() })
  const next = plantOn(TIP, 9)
  addHeader(chain.tree, chain.tree.tip, next.bytes.slice(0, 80), next.node.hash)
  return { chain, news, next }
})

describe("the state of the chain", () => {
  it.live("is that of its tip and of its best header, with what it holds", () =>
    Effect.gen(function*() {
      const { chain, news, next } = yield* opened
      chain.inputs = 77
      chain.warnings.add("a warning")
      const { cacheBytes, cacheChanges, progress, sizeOnDisk, ...state } = chainState(chain)
      assert.deepStrictEqual(state, {
        height: 6,
        hash: TIP.hash,
        time: TIP.header.time,
        bits: TIP.header.bits,
        // Of seven blocks, with the genesis block, the one in the middle.
        medianTime: CHAIN[2]!.node.header.time,
        chainWork: TIP.chainWork,
        headersHeight: 7,
        headersHash: next.node.hash,
        initialBlockDownload: chain.initialBlockDownload,
        pruned: false,
        pruneHeight: undefined,
        transactions: 7,
        inputs: 77,
        halted: undefined,
        loadingBlocks: false,
        warnings: ["a warning"],
        snapshot: undefined,
        mockTime: PLANTED_AT
      })
      assert.deepStrictEqual([cacheBytes, cacheChanges], [chain.coins.bytes(), chain.coins.changes()])
      assert.strictEqual(sizeOnDisk, chain.files.sizeOnDisk())
      assert.isTrue(progress > 0 && progress <= 1)
      news.length = 0
      pushState(chain)
      const pushed = news.at(-1)
      assert.deepStrictEqual(pushed?._tag === "State" && pushed.state, chainState(chain))
    }).pipe(Effect.scoped))

  it.live("names the lowest block that is here where the node prunes", () =>
    Effect.gen(function*() {
      const { chain } = yield* opened
      const pruning = { ...chain, options: { ...chain.options, pruning: { _tag: "Manual" } } } as unknown as ChainEngine
      const lowest = () => {
        const { pruneHeight, pruned } = chainState(pruning)
        return [pruned, pruneHeight]
      }
      assert.deepStrictEqual(lowest(), [true, 0])
      for (let height = 0; height < 6; height++) {
        forgetPlaces(chain.tree, activeAt(chain.tree, height)!)
        // The genesis block alone does not count, as in Bitcoin Core: it has no undo data in any case.
        assert.deepStrictEqual(lowest(), [true, height === 0 ? 0 : height + 1])
      }
      assert.strictEqual(chainState(chain).pruneHeight, undefined)
    }).pipe(Effect.scoped))
})
