import { type HeaderNode, medianTimePast } from "@lockstep/kernel/chain"
import { assert, describe, it } from "vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { assembleBlock } from "../../../src/engine/mining/block-assembly.ts"
import { PLANTED_AT, plantChain, plantedRoot } from "../planted-blocks.ts"
import { decoded, SUBSIDY } from "../spending-blocks.ts"
import { testCrypto } from "../test-engine.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const chain = plantChain(plantedRoot(), 129)
const coinbaseAt = (height: number) => decoded(chain[height - 1]!).transactions[0]!

describe("the coinbase of a block", () => {
  it.each([[1, "5100"], [2, "5200"], [16, "6000"], [17, "0111"], [127, "017f"], [128, "028000"]])(
    "of height %d begins with that",
    (height, script) => assert.strictEqual(hex(coinbaseAt(height).inputs[0]!.script), script)
  )

  it("has the lock time below its height, and a sequence with which that counts", () => {
    const { inputs, lockTime, version } = coinbaseAt(129)
    assert.deepStrictEqual([version, lockTime, inputs.length], [2, 128, 1])
    assert.deepStrictEqual([inputs[0]!.sequence, inputs[0]!.prevout.vout], [0xfffffffe, 0xffffffff])
    assert.deepStrictEqual([...inputs[0]!.prevout.txid], Array(32).fill(0))
    assert.deepStrictEqual(inputs[0]!.witness.map((item) => hex(item)), ["00".repeat(32)])
  })

  it("pays the subsidy with the fees, and commits to the witnesses", () => {
    const parent = chain.at(-1)!.node
    const contents = { script: Uint8Array.of(0x51), transactions: [], fees: 77n, now: PLANTED_AT, version: 0x20000004 }
    const { header, transactions } = assembleBlock(parent, contents, REGTEST.parameters, testCrypto)
    const [pays, commits] = transactions[0]!.outputs
    assert.deepStrictEqual([pays!.value, hex(pays!.script), commits!.value], [SUBSIDY + 77n, "51", 0n])
    assert.match(hex(commits!.script), /^6a24aa21a9ed[0-9a-f]{64}$/)
    assert.deepStrictEqual([header.version, header.bits], [0x20000004, parent.header.bits])
    assert.deepStrictEqual(header.previous, parent.hash)
  })

  it("commits to witnesses also before the height from which blocks may have any, and has none there", () => {
    const parent = chain.at(-1)!.node
    const contents = { script: Uint8Array.of(0x51), transactions: [], fees: 0n, now: PLANTED_AT, version: 4 }
    const shapeFrom = (segwit: number) => {
      const parameters = { ...REGTEST.parameters, heights: { ...REGTEST.parameters.heights, segwit } }
      const [coinbase] = assembleBlock(parent, contents, parameters, testCrypto).transactions
      return [coinbase!.outputs.length, coinbase!.hasWitness]
    }
    assert.deepStrictEqual([parent.height + 1, parent.height + 2].map(shapeFrom), [[2, true], [2, false]])
  })

  it("has the time of now, or a second after the median of those before", () => {
    const parent = chain.at(-1)!.node
    const timeAt = (now: number) => {
      const contents = { script: Uint8Array.of(0x51), transactions: [], fees: 0n, now, version: 4 }
      return assembleBlock(parent, contents, REGTEST.parameters, testCrypto).header.time
    }
    const times: Array<number> = []
    for (let at: typeof parent | undefined = parent; times.length < 11; at = at!.parent) times.push(at!.header.time)
    const median = times.toSorted((a, b) => a - b)[5]!
    assert.deepStrictEqual([timeAt(median + 2), timeAt(median + 1), timeAt(median), timeAt(0)], [
      median + 2,
      median + 1,
      median + 1,
      median + 1
    ])
  })

  it("opens a period at most ten minutes before its parent's time, wherever the clock stands", () => {
    const { work } = REGTEST.parameters
    const interval = work.targetTimespan / work.targetSpacing
    const grown = plantChain(chain.at(-1)!.node, interval + 1 - chain.length).map(({ node }) => node)
    const timeOn = (parent: HeaderNode, ahead: number, now: number) => {
      const contents = { script: Uint8Array.of(0x51), transactions: [], fees: 0n, now, version: 4 }
      const late = { ...parent, header: { ...parent.header, time: parent.header.time + ahead } }
      return assembleBlock(late, contents, REGTEST.parameters, testCrypto).header.time - parent.header.time
    }
    const opens = grown.find(({ height }) => height + 1 === interval)!
    const [before, behind] = [opens.parent!, grown.find(({ height }) => height === interval)!]
    const clock = PLANTED_AT - 100_000
    const median = (parent: HeaderNode): number => medianTimePast(parent) + 1 - parent.header.time
    assert.deepStrictEqual([before, opens, behind].map((parent) => timeOn(parent, 7_200, clock)), [
      median(before),
      6_600,
      median(behind)
    ])
    // The median and the clock count where they are later.
    assert.strictEqual(timeOn(opens, 500, clock), median(opens))
    assert.strictEqual(timeOn(opens, 7_200, opens.header.time + 6_601), 6_601)
  })
})
