import { assert, describe, it } from "@effect/vitest"
import type { Header } from "@lockstep/kernel/model"
import { compactTarget, expandTarget } from "@lockstep/kernel/work"
import { networkCalled } from "@lockstep/protocol/networks/table.ts"
import * as fc from "fast-check"
import { headerIndex } from "../../../src/engine/header-index/header-index.ts"
import { bitsArePermitted } from "../../../src/p2p/sync/presync/permitted-bits.ts"
import { addBit, bitCount, bitQueue, takeBit } from "../../../src/p2p/sync/presync/commitments.ts"
import {
  type HeadersPresync,
  headersPresync,
  type PresyncStep,
  presyncHeaders
} from "../../../src/p2p/sync/presync/presync.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import { SIGNET } from "@lockstep/protocol/networks/signet.ts"
import { TESTNET3 } from "@lockstep/protocol/networks/testnet3.ts"
import { TESTNET4 } from "@lockstep/protocol/networks/testnet4.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { GENESIS_HASH, hashOf, minedChain, REGTEST } from "./chain-model.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const CHAIN = minedChain(20_000)
const OTHER = minedChain(3_000, 5, hashOf(CHAIN[0]!), CHAIN[0]!.time)
const BLOCK_WORK = 2n
const genesis = headerIndex(REGTEST.genesisBlock.subarray(0, 80), GENESIS_HASH).tip
const NOW = CHAIN.at(-1)!.time * 1_000

/** The chain of regtest, with the periods of mainnet. */
const NETWORK = { parameters: REGTEST.parameters, headersSync: MAINNET.headersSync }

const started = (blocks: number, network: Pick<Network, "headersSync" | "parameters"> = NETWORK): HeadersPresync =>
  headersPresync(genesis, genesis.chainWork + BLOCK_WORK * BigInt(blocks), network, testCrypto, {
    now: () => unixMilliseconds(NOW),
    random: seededRandom(3)
  })

const giveAll = (presync: HeadersPresync, chain: ReadonlyArray<Header>, most = 2_000): ReadonlyArray<PresyncStep> => {
  const steps: Array<PresyncStep> = []
  for (let at = 0; at < chain.length && presync.phase !== "ended"; at += most) {
    const part = chain.slice(at, at + most)
    steps.push(presyncHeaders(presync, part, part.length === most))
    // The second pass begins at the start.
    if (steps.at(-1)!.next !== undefined && presync.phase === "fetching again" && presync.againHeight === 0) {
      return steps
    }
  }
  return steps
}

const releasedOf = (steps: ReadonlyArray<PresyncStep>): ReadonlyArray<Uint8Array> =>
  steps.flatMap(({ released }) => released)

describe("headers of a chain whose work is not known", () => {
  it("are released in order, in the second pass, once their work was enough in the first", () => {
    const presync = started(19_000)
    assert.deepStrictEqual(releasedOf(giveAll(presync, CHAIN)), [])
    assert.strictEqual(presync.phase, "fetching again")
    const released = releasedOf(giveAll(presync, CHAIN))
    assert.isTrue(released.length >= 19_000)
    assert.deepStrictEqual(
      released.map((bytes) => Buffer.from(bytes).toString("hex")),
      CHAIN.slice(0, released.length).map(({ bytes }) => Buffer.from(bytes).toString("hex"))
    )
    assert.strictEqual(presync.phase, "ended")
  })

  it("are released with what the chain has grown by, of which the first pass saw nothing", () => {
    const presync = started(3_000)
    giveAll(presync, CHAIN.slice(0, 4_000))
    assert.strictEqual(presync.phase, "fetching again")
    assert.lengthOf(releasedOf(giveAll(presync, CHAIN.slice(0, 9_000), 9_000)), 9_000)
  })

  it("are forgotten when the chain ends before its work is enough", () => {
    const presync = started(3_500)
    const steps = giveAll(presync, CHAIN.slice(0, 3_000))
    assert.deepInclude(steps.at(-1), { holds: true, released: [], next: undefined })
    assert.strictEqual(presync.phase, "ended")
    assert.deepStrictEqual(releasedOf(steps), [])
  })

  it("must be the same again: of another chain no more is released than the bits let pass", () => {
    const presync = started(19_000)
    giveAll(presync, CHAIN)
    // Another chain of the same work: its bits are others, and nothing is released before about 24 of them were
    // compared.
    const other = [CHAIN[0]!, ...minedChain(19_500, 5, hashOf(CHAIN[0]!), CHAIN[0]!.time)]
    const steps = giveAll(presync, other)
    assert.isFalse(steps.at(-1)!.holds)
    assert.deepInclude(steps.at(-1)!.news, { _tag: "Aborted", why: "commitment mismatch", phase: "redownload" })
    assert.deepStrictEqual(releasedOf(steps), [])
  })

  it("must hang together from message to message", () => {
    const presync = started(19_000)
    assert.isTrue(presyncHeaders(presync, CHAIN.slice(0, 2_000), true).holds)
    assert.isFalse(presyncHeaders(presync, OTHER.slice(0, 2_000), true).holds)
  })

  it("must not be more than six a second since the start", () => {
    const presync = headersPresync(genesis, 1n << 60n, NETWORK, testCrypto, {
      now: () => unixMilliseconds(genesis.header.time * 1_000),
      random: seededRandom(3)
    })
    // 6 x 7200 s / 641: 67 bits, so 20,000 headers leave 31 and pass; a third of the time would not do.
    assert.strictEqual(presync.mostCommitments, 67)
  })

  it("CVE-2019-25220: end the first pass when there are more of them than there can have been blocks", () => {
    // 6 x 1200 s / 641: 11 bits. Without the bound all 20,000 headers would be taken.
    const presync = headersPresync(genesis, 1n << 60n, NETWORK, testCrypto, {
      now: () => unixMilliseconds((genesis.header.time - 6_000) * 1_000),
      random: seededRandom(3)
    })
    assert.strictEqual(presync.mostCommitments, 11)
    const withBit = CHAIN.map((_, i) => i + 1).filter((height) => height % 641 === presync.offset)
    const tooMany = withBit[11]!
    assert.isTrue(presyncHeaders(presync, CHAIN.slice(0, tooMany - 1), true).holds)
    assert.strictEqual(bitCount(presync.commitments), 11)
    assert.deepStrictEqual(presyncHeaders(presync, CHAIN.slice(tooMany - 1, tooMany), true), {
      holds: false,
      released: [],
      next: undefined,
      news: { _tag: "Aborted", why: "exceeded max commitments", height: tooMany, phase: "presync" }
    })
    assert.strictEqual(presync.phase, "ended")
  })

  it("report how far they are", () => {
    const newsOf = (steps: ReadonlyArray<PresyncStep>) => steps.flatMap(({ news }) => news ?? [])
    const incomplete = (phase: "presync" | "redownload") =>
      ({ _tag: "Aborted", why: "incomplete headers message", height: 2_500, phase }) as const
    const whole = started(3_000)
    assert.deepStrictEqual(newsOf(giveAll(whole, CHAIN.slice(0, 4_000))), [
      { _tag: "Sufficient", height: 4_000, start: 0 }
    ])
    assert.deepStrictEqual(newsOf(giveAll(whole, CHAIN.slice(0, 4_000))), [{ _tag: "Completed", height: 4_000 }])
    const short = started(3_000)
    assert.deepStrictEqual(newsOf(giveAll(short, CHAIN.slice(0, 2_500))), [incomplete("presync")])
    const shorter = started(3_000)
    giveAll(shorter, CHAIN.slice(0, 4_000))
    assert.deepStrictEqual(newsOf(giveAll(shorter, CHAIN.slice(0, 2_500))), [incomplete("redownload")])
    const apart = started(19_000)
    presyncHeaders(apart, CHAIN.slice(0, 2_000), true)
    assert.deepStrictEqual(presyncHeaders(apart, OTHER.slice(0, 2_000), true).news, {
      _tag: "Aborted",
      why: "non-continuous headers",
      height: 2_000,
      phase: "presync"
    })
  })

  it("leave one bit for every 641 of them", () => {
    const presync = started(25_000)
    giveAll(presync, CHAIN)
    assert.strictEqual(bitCount(presync.commitments), CHAIN.filter((_, i) => (i + 1) % 641 === presync.offset).length)
    assert.include([31, 32], bitCount(presync.commitments))
  })

  it("CVE-2019-25220: are held back in the second pass until 15,218 stand behind them, then released with the work", () => {
    const presync = started(19_000)
    giveAll(presync, CHAIN)
    const released = giveAll(presync, CHAIN).map((step) => step.released.length)
    assert.deepStrictEqual(released, [0, 0, 0, 0, 0, 0, 0, 16_000 - 15_218, 2_000, 20_000 - 2_782])
    assert.strictEqual(presync.held.length, 0)
  })

  it("are held back by the numbers of each network, as in Bitcoin Core", () => {
    const networks = [MAINNET, TESTNET3, TESTNET4, SIGNET, REGTEST]
    assert.deepStrictEqual(
      networks.map(({ headersSync: { commitmentPeriod, redownloadBuffer } }) => [commitmentPeriod, redownloadBuffer]),
      [[641, 15_218], [673, 14_460], [606, 16_092], [620, 15_724], [275, 7_017]]
    )
    const presync = started(19_000, REGTEST)
    giveAll(presync, CHAIN)
    assert.include([72, 73], bitCount(presync.commitments))
    const steps = giveAll(presync, CHAIN.slice(0, 17_000))
    assert.strictEqual(releasedOf(steps).length, 17_000 - 7_017)
  })

  it("of a second pass that ends early are released no further than those before the held ones", () => {
    const presync = started(19_000)
    giveAll(presync, CHAIN)
    const steps = giveAll(presync, CHAIN.slice(0, 17_000))
    assert.strictEqual(releasedOf(steps).length, 17_000 - 15_218)
    assert.deepStrictEqual([presync.phase, presync.held.length], ["ended", 0])
  })

  it("are asked for on from the last one, with the locator of the start behind it, and from the start in the second pass", () => {
    const presync = started(3_000)
    const hexes = ({ next }: PresyncStep): ReadonlyArray<string> =>
      next!.map((hash) => Buffer.from(hash).toString("hex"))
    const start = Buffer.from(GENESIS_HASH).toString("hex")
    assert.deepStrictEqual(hexes(presyncHeaders(presync, CHAIN.slice(0, 2_000), true)), [
      Buffer.from(hashOf(CHAIN[1_999]!)).toString("hex"),
      start
    ])
    assert.deepStrictEqual(hexes(presyncHeaders(presync, CHAIN.slice(2_000, 4_000), true)), [start])
    assert.deepStrictEqual(hexes(presyncHeaders(presync, CHAIN.slice(0, 2_000), true)), [
      Buffer.from(hashOf(CHAIN[1_999]!)).toString("hex"),
      start
    ])
    assert.isUndefined(presyncHeaders(presync, CHAIN.slice(2_000, 4_000), true).next)
    assert.isFalse(presyncHeaders(presync, CHAIN.slice(4_000, 4_010), true).holds, "it is over")
  })
})

describe("bits that may follow", () => {
  const { work } = networkCalled("mainnet")!.parameters
  const bits = (factor: number): number =>
    compactTarget(expandTarget(0x1b0404cb)! * BigInt(Math.round(factor * 1_000)) / 1_000n)

  it("are the same within a period, and within a factor of four from one to the next", () => {
    assert.isTrue(bitsArePermitted(2_017, 0x1b0404cb, 0x1b0404cb, work))
    assert.isFalse(bitsArePermitted(2_017, 0x1b0404cb, bits(0.9), work))
    assert.isTrue(bitsArePermitted(4_032, 0x1b0404cb, bits(3.9), work))
    assert.isTrue(bitsArePermitted(4_032, 0x1b0404cb, bits(0.26), work))
    assert.isFalse(bitsArePermitted(4_032, 0x1b0404cb, bits(4.1), work))
    assert.isFalse(bitsArePermitted(4_032, 0x1b0404cb, bits(0.24), work))
    assert.isTrue(bitsArePermitted(2_017, 0x1d00ffff, 0x1b0404cb, REGTEST.parameters.work))
    assert.isFalse(bitsArePermitted(2_015, 0x1b0404cb, bits(0.9), work), "the block before the first of a period")
    assert.isTrue(bitsArePermitted(2_016, 0x1b0404cb, bits(0.9), work))
  })

  it("are exactly up to four times, or a quarter of, the target before, and never beyond the limit of work", () => {
    assert.isTrue(bitsArePermitted(4_032, 0x1b0404cb, 0x1b10132c, work))
    assert.isFalse(bitsArePermitted(4_032, 0x1b0404cb, 0x1b10132d, work))
    assert.isTrue(bitsArePermitted(4_032, 0x1b0404cb, 0x1b010132, work))
    assert.isFalse(bitsArePermitted(4_032, 0x1b0404cb, 0x1b010131, work))
    assert.isTrue(bitsArePermitted(4_032, 0x1d00ffff, 0x1d00ffff, work))
    assert.isFalse(bitsArePermitted(4_032, 0x1d00ffff, 0x1d010000, work))
  })
})

describe("a queue of bits", () => {
  it("gives back what was put in, in order", () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 2_000 }), (bits) => {
      const queue = bitQueue()
      for (const bit of bits) addBit(queue, bit)
      assert.strictEqual(bitCount(queue), bits.length)
      assert.deepStrictEqual(bits.map(() => takeBit(queue)), bits)
    }))
  })
})
