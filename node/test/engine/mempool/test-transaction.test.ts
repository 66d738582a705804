import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-calls.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"
import { coinbaseAt, loose, mine, outputOf, rawOf } from "./loose-transactions.ts"

const REWARD = 5_000_000_000n

const started = Effect.gen(function*() {
  const news: Array<EngineNotification> = []
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    extensions: [pool],
    mockTime: PLANTED_AT,
    news: (item) => news.push(item)
  })
  yield* mine(engine, 110)
  yield* engine.call("followTree", { from: 0 })
  return { engine, news }
})

describe("a transaction that is only tested", () => {
  it.live("gets the verdict it would get if it were sent, and leaves no trace", () =>
    Effect.gen(function*() {
      const { engine, news } = yield* started
      const [first, second] = [yield* coinbaseAt(engine, 1), yield* coinbaseAt(engine, 2)]
      const parent = loose({ inputs: [first], values: [REWARD - 1_000n] })
      const before = news.length
      const tested = yield* engine.call("testTransaction", { bytes: rawOf(parent) })
      assert.strictEqual(tested._tag, "Accepted")
      assert.deepStrictEqual(yield* engine.call("poolIds", undefined), [])
      assert.lengthOf(news, before)
      const child = loose({ inputs: [outputOf(parent)], values: [REWARD - 2_000n] })
      assert.strictEqual((yield* engine.call("testTransaction", { bytes: rawOf(child) }))._tag, "MissingInputs")

      const sent = yield* engine.call("acceptTransaction", { bytes: rawOf(parent) })
      assert.deepStrictEqual(tested, sent)
      assert.strictEqual((yield* engine.call("testTransaction", { bytes: rawOf(child) }))._tag, "Accepted")
      assert.strictEqual((yield* engine.call("testTransaction", { bytes: rawOf(parent) }))._tag, "Known")
      assert.lengthOf(yield* engine.call("poolIds", undefined), 1)
      for (
        const each of [
          loose({ inputs: [first], values: [REWARD - 5_000n] }),
          loose({ inputs: [second], values: [REWARD + 1n] }),
          loose({ inputs: [second], values: [REWARD - 1n] }),
          loose({ inputs: [second], values: [1_000n], version: 4 })
        ]
      ) {
        const tried = yield* engine.call("testTransaction", { bytes: rawOf(each) })
        assert.strictEqual(tried._tag, "Refused")
        assert.deepStrictEqual(tried, yield* engine.call("acceptTransaction", { bytes: rawOf(each) }))
      }
      assert.deepStrictEqual(yield* engine.call("testTransaction", { bytes: Uint8Array.of(1, 2, 3) }), {
        _tag: "Refused",
        reason: "TX decode failed",
        isConsensus: false
      })
    }))

  it.live("pays too much when its fee is more than the rate makes of its size, rounded up", () =>
    Effect.gen(function*() {
      const { engine } = yield* started
      const inputs = [yield* coinbaseAt(engine, 1)]
      const paying = (fee: bigint) => rawOf(loose({ inputs, values: [REWARD - fee] }))
      const probe = yield* engine.call("testTransaction", { bytes: paying(1_000n) })
      assert.strictEqual(probe._tag, "Accepted")
      const size = probe._tag === "Accepted" ? probe.transaction.virtualSize : 0
      // A rate of which the size makes no whole number.
      const mostRate = 10_001
      const most = BigInt(Math.ceil((mostRate * size) / 1_000))
      assert.isAbove(Number(most) * 1_000, mostRate * size)
      for (const name of ["testTransaction", "acceptTransaction"] as const) {
        assert.deepStrictEqual(yield* engine.call(name, { bytes: paying(most + 1n), mostRate }), {
          _tag: "Refused",
          reason: "max-fee-exceeded",
          isConsensus: false
        })
        assert.strictEqual((yield* engine.call(name, { bytes: paying(most), mostRate }))._tag, "Accepted", name)
      }
    }))
})
