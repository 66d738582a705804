import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { markScriptsVerified, scriptsVerified, verifiedScripts } from "../../../src/engine/state/verified-scripts.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { coinbaseAt, loose, mine } from "../mempool/loose-transactions.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const at = (index: number): HeaderIndexNode => ({ index }) as HeaderIndexNode

describe("blocks whose scripts were verified", () => {
  it("are each remembered by themselves, in any order, up to any number", () => {
    const verified = verifiedScripts()
    const marked = new Set<number>()
    for (const index of [5, 0, 7, 8, 1_023, 1_024, 4_095, 70_001, 63]) {
      markScriptsVerified(verified, at(index))
      marked.add(index)
      const wrong = Array.from({ length: 70_100 }, (_, i) => i)
        .filter((i) => scriptsVerified(verified, at(i)) !== marked.has(i))
      assert.deepStrictEqual(wrong, [])
    }
    assert.isFalse(scriptsVerified(verified, at(9_000_000)))
  })

  it("take memory for as many as there are, twice as much whenever it is used up", () => {
    const verified = verifiedScripts()
    const sizes = [0, 1_023, 1_024, 2_047, 2_048, 4_095, 80_000].map((index) => {
      markScriptsVerified(verified, at(index))
      return verified.bits.length
    })
    assert.deepStrictEqual(sizes, [128, 128, 256, 256, 512, 512, 10_001])
  })

  it("stay remembered when they are verified again", () => {
    const verified = verifiedScripts()
    markScriptsVerified(verified, at(9))
    markScriptsVerified(verified, at(9))
    assert.isTrue(scriptsVerified(verified, at(9)))
  })

  it.live("are those that spend, once they are connected", () =>
    Effect.gen(function*() {
      const engine = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      yield* mine(engine, 101)
      yield* mine(engine, 1, [loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [1_000_000n] })])
      const { tree: { tip }, verifiedScripts: verified } = engine.chain
      assert.deepStrictEqual([tip, tip.parent!].map((node) => scriptsVerified(verified, node)), [true, false])
    }))
})
