import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const CHAIN = plantChain(plantedRoot(), 2)
const headersOf = (at: number) => ({ headers: CHAIN[at]!.bytes.slice(0, 80) })

describe("what a peer sends, when the node fails", () => {
  it.live("a defect ends the call that met it, is logged, and others go on", () =>
    Effect.gen(function*() {
      let isDefective = false
      const news: Array<EngineNotification> = []
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        news: (each) => news.push(each),
        parts: (parts) => ({
          ...parts,
          crypto: {
            ...parts.crypto,
            sha256d: (bytes) => {
              if (isDefective) throw new Error("out of cheese")
              return parts.crypto.sha256d(bytes)
            }
          }
        })
      })
      isDefective = true
      assert.deepStrictEqual(yield* Effect.flip(call("acceptHeaders", headersOf(0))), { _tag: "Defect" })
      const logged = news.flatMap((each) => each._tag === "Log" && each.level === "error" ? [each.fields] : [])
      assert.deepStrictEqual(logged, [{ cause: "Error: out of cheese" }])
      isDefective = false
      assert.deepStrictEqual(yield* call("acceptHeaders", headersOf(0)), { accepted: 1, rejection: undefined })
      assert.deepStrictEqual([chain.tree.bestHeader.height, chain.status._tag], [1, "Running"])
    }))

  it.live("all that waits is refused once nothing may change any more, and so is what comes later", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const broken = { _tag: "Broken", cause: "a test" } as const
      chain.status = broken
      const both = yield* Effect.all([0, 1].map((at) => Effect.flip(call("acceptHeaders", headersOf(at)))), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(both, [broken, broken])
      const block = call("acceptBlock", { bytes: CHAIN[0]!.bytes.slice(), requested: true })
      assert.deepStrictEqual(yield* Effect.flip(block), broken)
      assert.strictEqual(chain.tree.bestHeader.height, 0)
      yield* call("blocksConnected", undefined)
    }))
})
