import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startScriptPool } from "../../../src/engine/script-pool/start-script-pool.ts"
import { blockOf, FAILING, HOLDING } from "./sample-jobs.ts"

describe("a script worker", () => {
  it.live("takes one block after another, each with memory of its own size, and goes when it is stopped", () =>
    Effect.gen(function*() {
      const pool = yield* startScriptPool({ workers: 1 })
      const judge = (count: number, failing?: (typeof FAILING)[number]) => {
        const samples = Array.from({ length: count }, (_, i) => HOLDING[i % HOLDING.length]!)
        const { block, collected } = blockOf(failing === undefined ? samples : [...samples, failing])
        return pool.judge(block, collected)
      }
      for (const count of [1, 40, 2_000]) assert.isUndefined(yield* judge(count))
      const failing = FAILING[0]!
      const found = yield* judge(30, failing)
      assert.deepStrictEqual(found, { ...failing.failure!, detail: { ...failing.failure!.detail, job: 30 } })
      yield* pool.close
    }))
})
