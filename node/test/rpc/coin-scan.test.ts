import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { startChain } from "../../src/chain/start-chain.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const TRUE = Uint8Array.of(0x51)

describe("scans of all coins", () => {
  it.live("are made one at a time, and end early when they are told to", () =>
    Effect.gen(function*() {
      const chain = yield* startChain(regtestOptions(yield* temporaryDirectory))
      yield* chain.ready
      yield* chain.call("generate", { script: TRUE, blocks: 20, maxTries: 1e6, transactions: [], submit: true })
      assert.strictEqual(yield* chain.call("abortScan", undefined), false)
      assert.isUndefined(yield* chain.call("scanProgress", undefined))

      const scan = chain.call("scanCoins", { scripts: [TRUE] })
      const whole = yield* scan
      assert.deepStrictEqual([whole.isComplete, whole.coins, whole.found.length, whole.height], [true, 20, 20, 20])
      assert.deepStrictEqual(whole.found.map(({ height }) => height).toSorted((a, b) => a - b), Array.from({ length: 20 }, (_, i) => i + 1))
      for (const { block, height } of whole.found) assert.deepStrictEqual(yield* chain.call("hashAt", { height }), block)

      const [first, second, progress, aborted] = yield* Effect.all(
        [scan, Effect.result(scan), chain.call("scanProgress", undefined), chain.call("abortScan", undefined)],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([first.isComplete, first.found.length, progress, aborted], [false, 0, 0, true])
      assert.isTrue(Result.isFailure(second))
      assert.strictEqual((yield* scan).isComplete, true)
    }))
})
