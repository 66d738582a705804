import { lastCommonAncestor } from "@lockstep/kernel/internal/chain/selection.ts"
import { checkHeader } from "@lockstep/kernel/internal/header/check-header.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import { minDifficultyBits, retarget } from "@lockstep/kernel/internal/header/required-work.ts"
import { timeIsNotTooNew } from "@lockstep/kernel/internal/header/contextual.ts"
import { assert, describe, it } from "vitest"
import { agree } from "../agree.ts"
import { EASIEST_BITS, EASY_NETWORK, GENESIS_TIME } from "../sequence/network.ts"
import { kernelParameters } from "../subject/chain.ts"
import { verdictName } from "../subject/kernel.ts"
import { chainOf, headerOn, headersTo } from "./made.ts"

const PARAMETERS = kernelParameters(EASY_NETWORK)
const MAINNET_WORK = {
  powLimit: 2n ** 224n - 1n,
  targetTimespan: 1_209_600,
  targetSpacing: 600,
  allowMinDifficulty: false,
  noRetargeting: false,
  bip94: false
}

/** Times to and fro on top of `fork`. */
const sawtooth = (fork: ReturnType<typeof chainOf>, step: number): ReturnType<typeof chainOf> => {
  let node = fork
  for (let i = 0; i < 12; i++) node = headerOn(node, fork.header.time + (i % 2 === 0 ? step * (i + 1) : i))
  return node
}

describe("bugs there were in headers", () => {
  it("satd d5a7439 the median time past of a competing branch is that of its own headers", () => {
    const fork = chainOf(30)
    const [steady, jumping] = [sawtooth(fork, 10), sawtooth(fork, 1_000)]
    assert.strictEqual(steady.height, jumping.height)
    // Eleven: i from 1 to 11; odd i are 1, 3, 5, 7, 9, 11, and the even ones lie above.
    assert.strictEqual(medianTimePast(jumping), fork.header.time + 11)
    assert.strictEqual(medianTimePast(jumping.parent!), fork.header.time + 1_000)
    assert.strictEqual(medianTimePast(steady.parent!), fork.header.time + 10)
  })

  it("satd f3b0b5c the walk to the last real difficulty of a test network follows parents", () => {
    const work = { ...PARAMETERS.work, allowMinDifficulty: true, targetTimespan: 12_000 }
    const fork = headerOn(chainOf(21), GENESIS_TIME + 13_000, { bits: 0x20123456 })
    const [a, b] = [0x20111111, 0x20222222].map((bits) => headerOn(fork, GENESIS_TIME + 14_000, { bits }))
    for (const [branch, bits] of [[a!, 0x20111111], [b!, 0x20222222], [fork, 0x20123456]] as const) {
      const easy = headerOn(headerOn(branch, GENESIS_TIME + 20_000), GENESIS_TIME + 22_000)
      assert.strictEqual(minDifficultyBits(easy, GENESIS_TIME + 22_600, work), bits)
      assert.strictEqual(minDifficultyBits(easy, GENESIS_TIME + 23_201, work), EASIEST_BITS)
    }
  })

  it("satd d4293c1 a median time past stays what it is, whatever was asked of another branch in between", () => {
    const fork = chainOf(30)
    const [a, b] = [sawtooth(fork, 7), sawtooth(fork, 500)]
    const before = medianTimePast(a)
    medianTimePast(b)
    const extended = headerOn(a, fork.header.time + 5_000)
    assert.strictEqual(medianTimePast(a), before)
    // 7, 21, … 77 and 1, 3, … 11: with the new one the middle of the last eleven moves up.
    assert.strictEqual(medianTimePast(extended), fork.header.time + 21)
  })

  it("blvm ac6c91e the median window is full again after a restart at any height", () => {
    for (let length = 1; length <= 24; length++) {
      const last = chainOf(length)
      const again = headersTo(last).reduce<typeof last | undefined>(
        (parent, { header }) => headerOn(parent, header.time, { nonce: header.nonce }),
        undefined
      )!
      const window = Math.min(length, 11)
      assert.strictEqual(medianTimePast(again), last.header.time - 600 * (window - 1 - (window >> 1)))
    }
  })

  it("bitcoin-rs bench log retargets are those of mainnet, the limits of a period included", () => {
    agree(
      [
        retarget(1_261_130_161, 1_262_152_739, 0x1d00ffff, MAINNET_WORK),
        retarget(1_231_006_505, 1_233_061_996, 0x1d00ffff, MAINNET_WORK),
        retarget(1_279_008_237, 1_279_297_671, 0x1c05a3f4, MAINNET_WORK),
        retarget(1_263_163_443, 1_269_211_443, 0x1c387f6f, MAINNET_WORK)
      ],
      [0x1d00d86a, 0x1d00ffff, 0x1c0168fd, 0x1d00e1fd]
    )
  })

  it("Floresta 4f53c2eb headers before and at genesis times are judged, not computed with below zero", () => {
    const network = kernelParameters({
      ...EASY_NETWORK,
      work: { ...EASY_NETWORK.work, noRetargeting: false, bip94: true }
    })
    const genesis = headerOn(undefined, 0)
    const first = headerOn(genesis, 0)
    assert.strictEqual(verdictName(checkHeader(first.header, genesis, 0, network)), "HDR-002")
    assert.strictEqual(verdictName(checkHeader(headerOn(genesis, 1).header, genesis, 0, network)), "OK")
    assert.strictEqual(retarget(5_000, 1, 0x1d00ffff, MAINNET_WORK), 0x1c3fffc0)
  })

  it("satd 0493e34 a header may be two hours early and needs the version of its height", () => {
    const parent = chainOf(20)
    const { time } = parent.header
    const judged = (at: number, version: number): string =>
      verdictName(checkHeader(headerOn(parent, at, { version }).header, parent, time, PARAMETERS))
    assert.deepStrictEqual([7_200, 7_201].map((later) => judged(time + later, 4)), ["OK", "HDR-004"])
    assert.deepStrictEqual([4, 0x20000000, 3, 1, 0, -1].map((version) => judged(time + 600, version)), [
      "OK",
      "OK",
      "HDR-005",
      "HDR-005",
      "HDR-005",
      "HDR-005"
    ])
  })

  it("CVE-2024-52912 the largest times do not overflow, whatever the clock says", () => {
    const { header } = headerOn(undefined, 0xffffffff)
    assert.strictEqual(verdictName(timeIsNotTooNew(header, 0xffffffff)), "OK")
    assert.strictEqual(verdictName(timeIsNotTooNew(header, 0xffffffff - 7_200)), "OK")
    assert.strictEqual(verdictName(timeIsNotTooNew(header, 0xffffffff - 7_201)), "HDR-004")
  })

  it("blvm 26933d0 the fork of branches of different lengths is found", () => {
    const fork = chainOf(40)
    let long = headerOn(fork, 1)
    for (let i = 0; i < 70; i++) long = headerOn(long, i)
    const short = headerOn(fork, 2)
    assert.strictEqual(lastCommonAncestor(short, long), fork)
    assert.strictEqual(lastCommonAncestor(long, short), fork)
    assert.strictEqual(lastCommonAncestor(long, fork), fork)
  })

  it("blvm 26933d0 chain work has more than 128 bits where it needs them", () => {
    // The hardest target there is stands for half of all numbers, times two.
    const node = headerOn(headerOn(undefined, 1, { bits: 0x03000001 }), 2, { bits: 0x03000001 })
    assert.strictEqual(node.chainWork, 2n ** 256n)
    assert.isAbove(node.chainWork.toString(2).length, 128)
  })
})
