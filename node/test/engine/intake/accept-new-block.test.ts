import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { acceptNewBlock } from "../../../src/engine/intake/accept-new-block.ts"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantOn, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

describe("a block of a peer", () => {
  it.live("is to be connected when it was stored, and only then", () =>
    Effect.gen(function*() {
      const { chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const { bytes, node: { hash } } = plantOn(plantedRoot(), 1)
      const first = yield* acceptNewBlock(chain, { bytes: bytes.slice() }, true)
      assert.deepStrictEqual(first.answer, { hash: hash.slice(), isNew: true, rejection: undefined })
      assert.strictEqual(first.stored?.node, nodeOf(chain.tree, hash))
      assert.deepInclude(first.stored, { bytes: bytes.length, inputs: 0 })
      const again = yield* acceptNewBlock(chain, { bytes: bytes.slice() }, true)
      assert.deepStrictEqual(again, {
        answer: { hash: hash.slice(), isNew: false, rejection: undefined },
        stored: undefined
      })
      const none = yield* acceptNewBlock(chain, { bytes: bytes.slice(0, 100) }, true)
      assert.deepStrictEqual([none.answer.isNew, none.answer.rejection, none.stored], [false, undefined, undefined])
    }).pipe(Effect.scoped))
})
