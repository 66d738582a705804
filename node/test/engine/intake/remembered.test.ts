import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { inputCounts } from "../../../src/engine/intake/input-counts.ts"
import { acceptNewHeaders } from "../../../src/engine/intake/accept-new-headers.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { plantChain, PLANTED_AT, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const nodeOf = (index: number): HeaderIndexNode => ({ index }) as HeaderIndexNode

describe("inputs of blocks that wait to be connected", () => {
  it("are known once, and are none for a block that came another way", () => {
    const counts = inputCounts()
    counts.note(nodeOf(1), 7)
    assert.deepStrictEqual([1, 1, 2].map((index) => counts.take(nodeOf(index))), [7, 0, 0])
  })

  it("are remembered for the last 4,096 blocks", () => {
    const counts = inputCounts()
    for (let index = 0; index < 4_097; index++) counts.note(nodeOf(index), 5)
    assert.deepStrictEqual([0, 1, 4_096].map((index) => counts.take(nodeOf(index))), [0, 5, 5])
  })
})

describe("headers of peers", () => {
  it.live("are sent as a new state, unless blocks wait for their commit", () =>
    Effect.gen(function*() {
      const news: Array<EngineNotification> = []
      const { chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        news: (each) => void news.push(each)
      })
      const headers = plantChain(plantedRoot(), 4).map(({ bytes }) => bytes.slice(0, 80))
      const isTold = (i: number, state: { readonly isDownloading: boolean; readonly dirty: boolean }): boolean => {
        chain.initialBlockDownload = state.isDownloading
        chain.dirty = state.dirty
        news.length = 0
        assert.deepStrictEqual(acceptNewHeaders(chain, headers[i]!), { accepted: 1, rejection: undefined })
        return news.some(({ _tag }) => _tag === "State")
      }
      assert.isTrue(isTold(0, { isDownloading: false, dirty: false }))
      assert.isFalse(isTold(0, { isDownloading: false, dirty: false }), "it is known")
      assert.isFalse(isTold(1, { isDownloading: false, dirty: true }))
      assert.isTrue(isTold(2, { isDownloading: true, dirty: true }))
      assert.isTrue(isTold(3, { isDownloading: true, dirty: false }))
      chain.dirty = false
    }))

  it.live("of which one is awaited by files that are imported mean that the node takes blocks in", () =>
    Effect.gen(function*() {
      const { chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const [first, second] = plantChain(plantedRoot(), 2)
      Object.assign(chain, {
        isAwaited: (hash: Uint8Array) => Buffer.compare(hash, second!.node.hash) === 0
      })
      acceptNewHeaders(chain, first!.bytes.slice(0, 80))
      assert.isFalse(chain.loadingBlocks)
      acceptNewHeaders(chain, second!.bytes.slice(0, 80))
      assert.isTrue(chain.loadingBlocks)
    }))
})
