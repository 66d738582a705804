import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { assert, describe, it } from "vitest"
import { serializeBlock } from "../../src/oracles/block.ts"
import { realChains } from "../corpus/real-chains.ts"
import { randomOf } from "../random.ts"
import { blockSequenceTarget } from "../targets/block-sequence.ts"
import { CHANGE_KINDS, realBlock } from "./real-block.ts"
import { realPlan, type RealStep } from "./real-plan.ts"
import { realStart } from "./real-start.ts"

const root = process.env["LOCKSTEP_VECTORS"]
const REGTEST = 0
const AS_IT_WAS: RealStep = {
  back: 0,
  above: 0,
  time: 0,
  changes: [],
  fits: true,
  mended: true,
  flip: -1,
  again: false,
  late: 0,
  twice: false
}

describe.skipIf(root === undefined)("a sequence on a real chain", () => {
  const chains = root === undefined ? [] : realChains(root)
  const small = chains.find(({ blocks }) => blocks.length < 50)!

  it("reads the chains of a vector root", () => {
    assert.sameMembers([...new Set(chains.map(({ network }) => network))], ["mainnet", "regtest", "signet"])
  })

  it("starts at the height that is asked for, with the blocks as they were", () => {
    const start = realStart(REGTEST, small.blocks, 5, nobleCrypto)
    assert.strictEqual(start.naive.tip.chain.length, 6)
    assert.strictEqual(start.kernel.tip.key, start.naive.tip.key)
    const next = realBlock(AS_IT_WAS, start.naive.tip, start)
    assert(!(next instanceof Uint8Array))
    assert.deepStrictEqual(serializeBlock(next), small.blocks[6])
  })

  it("is judged alike by both nodes", () => {
    const providers = [{ name: "noble", crypto: nobleCrypto }]
    for (let index = 0; index < 40; index++) {
      const plan = realPlan(randomOf(1, index), [small], CHANGE_KINDS)
      assert(blockSequenceTarget.isInput!(plan))
      assert.strictEqual(blockSequenceTarget.judge(plan, providers), undefined, `input ${index}`)
    }
  })
})
