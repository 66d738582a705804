import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testEngine } from "../test-engine.ts"

describe("calls of test networks alone", () => {
  it.live("set the clock, from 0 for the machine's own, and tell the state", () =>
    Effect.gen(function*() {
      const news: Array<EngineNotification> = []
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        news: (each) => void news.push(each)
      })
      news.length = 0
      yield* call("setMockTime", { time: 1_800_000_000 })
      assert.strictEqual(chain.clock.now(), 1_800_000_000)
      assert.deepStrictEqual(news.flatMap((each) => each._tag === "State" ? [each.state.mockTime] : []), [
        1_800_000_000
      ])
      yield* call("setMockTime", { time: 0 })
      assert.isAbove(chain.clock.now(), 1_800_000_000 - 500_000_000)
      assert.strictEqual(chain.clock.mockTime(), 0)
      assert.deepStrictEqual(yield* Effect.flip(call("setMockTime", { time: -1 })), {
        _tag: "NegativeMockTime",
        time: -1
      })
    }))

  it.live("end the initial download when the clock is set to the time of the tip", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
      assert.isTrue(chain.initialBlockDownload)
      const { time } = chain.tree.tip.header
      yield* call("setMockTime", { time: time + 86_401 })
      assert.isTrue(chain.initialBlockDownload)
      yield* call("setMockTime", { time: time + 86_400 })
      assert.isFalse(chain.initialBlockDownload)
    }))

  it.live("are refused on other networks", () =>
    Effect.gen(function*() {
      const regtest = yield* testEngine({ directory: yield* temporaryDirectory })
      yield* regtest.call("moveScheduler", { milliseconds: 500 })
      assert.strictEqual(regtest.chain.scheduler.ahead(), 500)
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        parts: (parts) => ({ ...parts, network: { ...parts.network, name: "signet" } })
      })
      assert.deepStrictEqual(yield* Effect.flip(call("setMockTime", { time: 1 })), {
        _tag: "OnlyOnRegtest",
        call: "setMockTime"
      })
      assert.deepStrictEqual(yield* Effect.flip(call("moveScheduler", { milliseconds: 1 })), {
        _tag: "OnlyOnRegtest",
        call: "moveScheduler"
      })
      assert.strictEqual(chain.scheduler.ahead(), 0)
    }))

  it.live("know statistics of earlier blocks from an index alone", () =>
    Effect.gen(function*() {
      const { call } = yield* testEngine({ directory: yield* temporaryDirectory })
      const error = yield* Effect.flip(
        call("setStatistics", { hashType: "none", at: { _tag: "Height", height: 0 } as never, useIndex: true })
      )
      assert.deepStrictEqual(error, { _tag: "IndexNotEnabled", index: "coinstatsindex" })
    }))
})
