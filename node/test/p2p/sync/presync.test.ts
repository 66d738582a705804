import { assert, describe, it } from "@effect/vitest"
import type { Header } from "@lockstep/kernel/model/header.ts"
import { compactTarget, expandTarget } from "@lockstep/kernel/work/compact-target.ts"
import { networkCalled } from "@lockstep/protocol/networks/table.ts"
import * as fc from "fast-check"
import { headerTree } from "../../../src/engine/header-tree/header-tree.ts"
import { bitsArePermitted } from "../../../src/p2p/sync/presync/permitted-bits.ts"
import { addBit, bitCount, bitQueue, takeBit } from "../../../src/p2p/sync/presync/commitments.ts"
import { type HeadersPresync, headersPresync, type PresyncStep, takePresyncHeaders } from "../../../src/p2p/sync/presync/presync.ts"
import { seededChance } from "../../../src/p2p/seeded-chance.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { GENESIS_HASH, hashOf, minedChain, REGTEST } from "./chain-model.ts"

const CHAIN = minedChain(20_000)
const OTHER = minedChain(3_000, 5, hashOf(CHAIN[0]!), CHAIN[0]!.time)
const BLOCK_WORK = 2n
const genesis = headerTree(REGTEST.genesisBlock.subarray(0, 80), GENESIS_HASH).tip
const NOW = CHAIN.at(-1)!.time * 1_000

const started = (blocks: number): HeadersPresync =>
  headersPresync(genesis, genesis.chainWork + BLOCK_WORK * BigInt(blocks), REGTEST.parameters, testCrypto, {
    now: () => NOW,
    chance: seededChance(3)
  })

const giveAll = (presync: HeadersPresync, chain: ReadonlyArray<Header>, most = 2_000): ReadonlyArray<PresyncStep> => {
  const steps: Array<PresyncStep> = []
  for (let at = 0; at < chain.length && presync.phase !== "ended"; at += most) {
    const part = chain.slice(at, at + most)
    steps.push(takePresyncHeaders(presync, part, part.length === most))
    // The second pass begins at the start.
    if (steps.at(-1)!.next !== undefined && presync.phase === "fetching again" && presync.againHeight === 0) return steps
  }
  return steps
}

const releasedOf = (steps: ReadonlyArray<PresyncStep>): ReadonlyArray<Uint8Array> => steps.flatMap(({ released }) => released)

describe("headers of a chain whose work is not known", () => {
  it("are released in order, in the second pass, once their work was enough in the first", () => {
    const presync = started(19_000)
    assert.deepStrictEqual(releasedOf(giveAll(presync, CHAIN)), [])
    assert.strictEqual(presync.phase, "fetching again")
    const released = releasedOf(giveAll(presync, CHAIN))
    assert.isTrue(released.length >= 19_000)
    assert.deepStrictEqual(released.map((bytes) => Buffer.from(bytes).toString("hex")), CHAIN.slice(0, released.length).map(({ bytes }) => Buffer.from(bytes).toString("hex")))
    assert.strictEqual(presync.phase, "ended")
  })

  it("are forgotten when the chain ends before its work is enough", () => {
    const presync = started(3_500)
    const steps = giveAll(presync, CHAIN.slice(0, 3_000))
    assert.deepStrictEqual(steps.at(-1), { holds: true, released: [], next: undefined })
    assert.strictEqual(presync.phase, "ended")
    assert.deepStrictEqual(releasedOf(steps), [])
  })

  it("must be the same again: of another chain no more is released than the bits let pass", () => {
    const presync = started(19_000)
    giveAll(presync, CHAIN)
    // Another chain of the same work: its bits are others, and nothing is released before about 24 of them were compared.
    const other = [CHAIN[0]!, ...minedChain(19_500, 5, hashOf(CHAIN[0]!), CHAIN[0]!.time)]
    const steps = giveAll(presync, other)
    assert.isFalse(steps.at(-1)!.holds)
    assert.deepStrictEqual(releasedOf(steps), [])
  })

  it("must hang together from message to message", () => {
    const presync = started(19_000)
    assert.isTrue(takePresyncHeaders(presync, CHAIN.slice(0, 2_000), true).holds)
    assert.isFalse(takePresyncHeaders(presync, OTHER.slice(0, 2_000), true).holds)
  })

  it("must not be more than six a second since the start", () => {
    const presync = headersPresync(genesis, 1n << 60n, REGTEST.parameters, testCrypto, {
      now: () => genesis.header.time * 1_000,
      chance: seededChance(3)
    })
    // 6 x 7200 s / 641: 67 bits, so 20,000 headers leave 31 and pass; a third of the time would not do.
    assert.strictEqual(presync.mostCommitments, 67)
  })
})

describe("bits that may follow", () => {
  const { work } = networkCalled("mainnet")!.parameters
  const bits = (factor: number): number => compactTarget(expandTarget(0x1b0404cb)! * BigInt(Math.round(factor * 1_000)) / 1_000n)

  it("are the same within a period, and within a factor of four from one to the next", () => {
    assert.isTrue(bitsArePermitted(2_017, 0x1b0404cb, 0x1b0404cb, work))
    assert.isFalse(bitsArePermitted(2_017, 0x1b0404cb, bits(0.9), work))
    assert.isTrue(bitsArePermitted(4_032, 0x1b0404cb, bits(3.9), work))
    assert.isTrue(bitsArePermitted(4_032, 0x1b0404cb, bits(0.26), work))
    assert.isFalse(bitsArePermitted(4_032, 0x1b0404cb, bits(4.1), work))
    assert.isFalse(bitsArePermitted(4_032, 0x1b0404cb, bits(0.24), work))
    assert.isTrue(bitsArePermitted(2_017, 0x1d00ffff, 0x1b0404cb, REGTEST.parameters.work))
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
