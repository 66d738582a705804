import { assert, describe, it } from "vitest"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import {
  markScriptsVerified,
  scriptsVerified,
  verifiedScripts
} from "../../../src/engine/validation/verified-scripts.ts"

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

  it("stay remembered when they are verified again", () => {
    const verified = verifiedScripts()
    markScriptsVerified(verified, at(9))
    markScriptsVerified(verified, at(9))
    assert.isTrue(scriptsVerified(verified, at(9)))
  })
})
