import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { plantChain, PLANTED_AT, plantedRoot } from "./planted-blocks.ts"
import { testEngine } from "./test-engine.ts"

describe("an engine on a directory that has a chain", () => {
  it.live("writes nothing at a start after which nothing is new", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const block = plantChain(plantedRoot(), 1)[0]!
      let writes = 0
      const started = testEngine({
        directory,
        mockTime: PLANTED_AT,
        store: (store) => ({
          ...store,
          write: (fill) => Effect.andThen(Effect.sync(() => void writes++), store.write(fill))
        })
      })
      yield* Effect.scoped(Effect.gen(function*() {
        const { call } = yield* started
        assert.isAbove(writes, 0, "a new chain")
        yield* call("submitBlock", { bytes: block.bytes.slice() })
      }))
      writes = 0
      const { chain } = yield* started
      assert.deepStrictEqual(chain.tree.tip.hash, block.node.hash)
      assert.deepStrictEqual([writes, chain.dirty, chain.loadingBlocks, chain.underWay], [0, false, false, 0])
    }))
})
