import { assert, describe, it } from "@effect/vitest"
import { childOf, type HeaderNode, medianTimePast } from "@lockstep/kernel/chain"
import { headerOf } from "@lockstep/kernel/model"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { nextBlock } from "../../../src/engine/mining/next-block.ts"
import { nextVersion, signalledDeployments } from "../../../src/engine/deployments/signalled-deployments.ts"

const SILENT = 0x20000000
const DUMMY = 0x30000000
const NOW = 1_700_000_000

/** A chain whose blocks are ten minutes apart but for `late` seconds of the last one, the tip at this height. */
const tipAt = (height: number, versionAt: (height: number) => number = () => SILENT, late = 0): HeaderNode => {
  let tip: HeaderNode | undefined
  for (let at = 0; at <= height; at++) {
    const bytes = new Uint8Array(80)
    const view = new DataView(bytes.buffer)
    view.setInt32(0, versionAt(at), true)
    view.setUint32(68, NOW + 600 * at + (at === height ? late : 0), true)
    view.setUint32(72, 0x207fffff, true)
    tip = childOf(tip, headerOf(bytes), new Uint8Array(32).fill(at & 255))
  }
  return tip!
}

const nextOn = (tip: HeaderNode, now = NOW, notBefore?: number, segwit = 0) => {
  const parameters = { ...REGTEST.parameters, heights: { ...REGTEST.parameters.heights, segwit } }
  const engine = { clock: { now: () => now }, network: REGTEST, parameters, options: {}, tree: { tip } }
  return nextBlock(engine as unknown as ChainEngine, notBefore)
}

describe("the block that may come next", () => {
  it("stands on the tip, with the subsidy of its height, and with witnesses once they are in force", () => {
    const tip = tipAt(149)
    assert.deepInclude(nextOn(tip), { previous: tip.hash, height: 150, bits: 0x207fffff, subsidy: 2_500_000_000n })
    assert.strictEqual(nextOn(tipAt(148)).subsidy, 5_000_000_000n)
    assert.deepStrictEqual([150, 151].map((segwit) => nextOn(tip, NOW, 0, segwit).hasWitness), [true, false])
  })

  it("has a time behind the median of the last, by the clock, or as a caller asks", () => {
    const tip = tipAt(20)
    const least = medianTimePast(tip) + 1
    assert.strictEqual(least, NOW + 600 * 15 + 1)
    assert.deepInclude(nextOn(tip, 1), { minTime: least, time: least })
    assert.deepInclude(nextOn(tip, least + 9), { minTime: least, time: least + 9 })
    assert.deepInclude(nextOn(tip, least + 9, least + 99), { minTime: least, time: least + 99 })
  })

  it("is at most ten minutes earlier than the tip where a period begins, and nowhere else", () => {
    const minTime = (height: number): number => {
      const tip = tipAt(height, undefined, 36_000)
      return nextOn(tip, 1).minTime - tip.header.time
    }
    assert.strictEqual(minTime(143), -600)
    assert.strictEqual(minTime(287), -600)
    for (const height of [142, 144]) assert.strictEqual(minTime(height), 1 - 36_000 - 3_000)
  })

  it("signals for a deployment from its start until it is in force, which is then among the rules", () => {
    const signalling = (height: number): number => height >= 144 && height < 288 ? DUMMY : SILENT
    const facts = (height: number) => {
      const { active, available, version } = nextOn(tipAt(height, signalling))
      return [version, available, active]
    }
    const dummy = [{ bit: 28, name: "testdummy" }]
    assert.deepStrictEqual(facts(142), [SILENT, [], []])
    assert.deepStrictEqual(facts(143), [DUMMY, dummy, []])
    assert.deepStrictEqual(facts(287), [DUMMY, dummy, []], "locked in")
    assert.deepStrictEqual(facts(431), [SILENT, [], ["testdummy"]])
  })
})

describe("a deployment that miners signal for", () => {
  const signalling = (height: number): number => height >= 144 && height < 288 ? DUMMY : SILENT
  const seenAt = (height: number) => signalledDeployments(tipAt(height, signalling), REGTEST)[0]!

  it("is of bit 28, always started, and never ends, on regtest alone", () => {
    assert.deepInclude(seenAt(0), {
      name: "testdummy",
      bit: 28,
      startTime: 0,
      timeout: undefined,
      minActivationHeight: 0
    })
    assert.deepStrictEqual(signalledDeployments(tipAt(3), MAINNET), [])
    assert.strictEqual(nextVersion(tipAt(200), MAINNET), SILENT)
  })

  it("has been in its state since the first block of a period", () => {
    const states = [0, 1, 143, 144, 145, 287, 288, 431, 432, 600].map((height) => {
      const { since, state } = seenAt(height)
      return [height, state, since]
    })
    assert.deepStrictEqual(states, [
      [0, "defined", 0],
      [1, "defined", 0],
      [143, "defined", 0],
      [144, "started", 144],
      [145, "started", 144],
      [287, "started", 144],
      [288, "locked_in", 288],
      [431, "locked_in", 288],
      [432, "active", 432],
      [600, "active", 432]
    ])
  })

  it("is counted while it is started or locked in, and in no other state", () => {
    assert.deepStrictEqual([143, 144, 288, 432].map((height) => seenAt(height).counted !== undefined), [
      false,
      true,
      true,
      false
    ])
    assert.deepInclude(seenAt(146).counted, { elapsed: 3, count: 3, signalling: [true, true, true] })
    assert.deepInclude(seenAt(289).counted, { elapsed: 2, count: 0, signalling: [false, false] })
  })
})
