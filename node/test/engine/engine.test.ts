import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNews } from "../../src/engine/calls/engine-calls.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "./test-engine.ts"

const TRUE = Uint8Array.of(0x51)

const request = (blocks: number) => ({ script: TRUE, blocks, maxTries: 1_000_000, transactions: [], submit: true })

describe("the engine on a disk", () => {
  it.live("mines, stops and finds everything again", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const hashes = yield* Effect.scoped(Effect.gen(function*() {
        const { call } = yield* testEngine({ directory })
        const mined = yield* call("generate", request(110))
        return mined.hashes
      }))
      assert.strictEqual(hashes.length, 110)
      yield* Effect.scoped(Effect.gen(function*() {
        const { call, chain } = yield* testEngine({ directory })
        assert.strictEqual(chain.tree.tip.height, 110)
        assert.deepStrictEqual(yield* call("hashAt", { height: 110 }), hashes[109])
        assert.deepStrictEqual(yield* call("hashAt", { height: 1 }), hashes[0])
        const statistics = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
        assert.strictEqual(statistics.txouts, 110)
        assert.strictEqual(statistics.total, 110n * 5_000_000_000n)
        yield* call("invalidateBlock", { hash: hashes[49]! })
        assert.strictEqual(chain.tree.tip.height, 49)
        const after = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
        assert.strictEqual(after.txouts, 49)
        yield* call("reconsiderBlock", { hash: hashes[49]! })
        const again = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
        assert.deepStrictEqual(again.setHash, statistics.setHash)
      }))
    }))

  it.live("tells the state before it answers, and of blocks only what is on disk", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const heard: Array<EngineNews> = []
      const { call, chain } = yield* testEngine({ directory, news: (news) => heard.push(news) })
      heard.length = 0
      yield* call("generate", request(2))
      const state = heard.findLast((news) => news._tag === "State")
      assert.strictEqual(state?.state.height, 2)
      assert.strictEqual(chain.tree.changed.size, 0)
      const events = heard.flatMap((news) => news._tag === "Event" ? [news.event.type] : [])
      assert.strictEqual(events.filter((type) => type === "NewBlock").length, 2)
      assert.strictEqual(events.filter((type) => type === "BlockMined").length, 2)
    }))
})
