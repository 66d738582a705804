import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineCalls } from "../../../src/engine/api/engine-calls.ts"
import type { MakeExtension } from "../../../src/engine/chainstate/extension.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { request } from "../generate-request.ts"
import { testEngine } from "../test-engine.ts"

type Asked = EngineCalls["setStatistics"]["in"]

const OF_INDEX = { height: 77 } as EngineCalls["setStatistics"]["out"]

describe("statistics of the coins", () => {
  it.live("come from the index where there is one and it is wanted, but for the hash that it does not have", () =>
    Effect.gen(function*() {
      const asked: Array<Asked> = []
      const index: MakeExtension = () =>
        Effect.succeed({
          indexedStatistics: (each) => {
            asked.push(each)
            return Effect.succeed(OF_INDEX)
          }
        })
      const withIndex = yield* testEngine({ directory: yield* temporaryDirectory, extensions: [index] })
      const without = yield* testEngine({ directory: yield* temporaryDirectory })
      for (const { call } of [withIndex, without]) yield* call("generate", request(3))
      for (
        const [hashType, useIndex, isOfIndex] of [
          ["muhash", true, true],
          ["none", true, true],
          ["hash_serialized_3", true, false],
          ["muhash", false, false],
          ["none", false, false]
        ] as const
      ) {
        const wanted: Asked = { hashType, useIndex, at: undefined }
        asked.length = 0
        const found = yield* withIndex.call("setStatistics", wanted)
        assert.deepStrictEqual([found.height, asked], isOfIndex ? [77, [wanted]] : [3, []], `${hashType} ${useIndex}`)
        assert.strictEqual((yield* without.call("setStatistics", wanted)).height, 3)
      }
      // Of an earlier block only an index knows something.
      const earlier: Asked = { hashType: "none", useIndex: true, at: { _tag: "Height", height: 1 } as never }
      const refused = yield* Effect.flip(without.call("setStatistics", earlier))
      assert.deepStrictEqual(refused, { _tag: "IndexNotEnabled", index: "coinstatsindex" })
      assert.strictEqual((yield* withIndex.call("setStatistics", earlier)).height, 77)
    }))
})
