import { assert, describe, it } from "@effect/vitest"
import { type Block, decodeBlock, type Transaction } from "@lockstep/kernel/model"
import { EMPTY_MUHASH, muHashElement, muHashInsert } from "@lockstep/kernel/utxo-hash"
import type { Coin } from "@lockstep/kernel/utxo"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import fc from "fast-check"
import * as Result from "effect/Result"
import { type BlockSituation, blockEffect, unspendableOf } from "../../src/indexes/coin-statistics/block-amounts.ts"
import { isOverwrittenCoinbase } from "../../src/indexes/coin-statistics/overwritten-coinbase.ts"
import { decodeRunningState, encodeRunningState, NOTHING_YET } from "../../src/indexes/coin-statistics/running-state.ts"
import {
  decodeStatistics,
  encodeStatistics,
  indexedStatistics
} from "../../src/indexes/coin-statistics/statistics-record.ts"
import { testCrypto } from "../engine/test-engine.ts"

const seed = Number(process.env["LOCKSTEP_SEED"] ?? 1)

interface Output {
  readonly value: bigint
  readonly script: Uint8Array
}

const genesis = Result.getOrThrow(decodeBlock(REGTEST.genesisBlock))

const transaction = (inputs: number, outputs: ReadonlyArray<Output>): Transaction => ({
  ...genesis.transactions[0]!,
  inputs: Array.from(
    { length: inputs },
    (_, vout) => ({
      prevout: { txid: new Uint8Array(32).fill(1), vout },
      script: new Uint8Array(0),
      sequence: 0,
      witness: []
    })
  ),
  outputs
})

const blockOf = (transactions: ReadonlyArray<Transaction>): Block => ({ ...genesis, transactions })

const coin = (value: bigint, length: number): Coin => ({
  value,
  script: new Uint8Array(length).fill(0x51),
  height: 1,
  isCoinbase: false
})

const output = (value: bigint, length = 1): Output => ({ value, script: new Uint8Array(length).fill(0x51) })
const data = (value: bigint): Output => ({ value, script: Uint8Array.of(0x6a, 1, 2) })
const tooLong = (value: bigint): Output => ({ value, script: new Uint8Array(10_001).fill(0x51) })

const situation = (change: Partial<BlockSituation> = {}): BlockSituation => ({
  height: 10,
  subsidy: 50n,
  isOverwritten: false,
  ...change
})

const effectOf = (block: Block, spent: ReadonlyArray<ReadonlyArray<Coin>>, of: BlockSituation) => {
  const visited: Array<string> = []
  const ids = Uint8Array.from({ length: 32 * block.transactions.length }, (_, i) => i >>> 5)
  const effect = blockEffect(block, ids, { spent, replaced: [] }, of, {
    created: ({ txid, vout }, made) => {
      assert.lengthOf(txid, 32)
      visited.push(`+${txid[0]}:${vout} ${made.value} ${made.isCoinbase} ${made.height}`)
    },
    spent: ({ txid, vout }, gone) => visited.push(`-${txid[0]}:${vout} ${gone.value}`)
  })
  return { effect, visited }
}

describe("what a block does to the coins", () => {
  it("counts outputs that exist, spent coins, amounts, data and unclaimed rewards", () => {
    const block = blockOf([
      transaction(1, [output(40n), data(2n)]),
      transaction(2, [output(5n, 4), tooLong(1n), output(7n, 2)])
    ])
    const { effect, visited } = effectOf(block, [[coin(10n, 3), coin(5n, 1)]], situation())
    assert.deepStrictEqual(visited, ["+0:0 40 true 10", "+1:0 5 false 10", "+1:2 7 false 10", "-1:0 10", "-1:1 5"])
    assert.deepStrictEqual(effect, {
      coins: 1,
      bogoSize: (50 + 1) + (50 + 4) + (50 + 2) - (50 + 3) - (50 + 1),
      amounts: {
        prevoutSpent: 15n,
        coinbase: 40n,
        newOutputsExceptCoinbase: 12n,
        genesisBlock: 0n,
        bip30: 0n,
        scripts: 3n,
        // 50 + 15 came, 40 + 12 + 3 went.
        unclaimedRewards: 10n
      }
    })
    assert.strictEqual(unspendableOf(effect.amounts), 13n)
  })

  it("the genesis block makes nothing, and its subsidy is out of reach", () => {
    const { effect, visited } = effectOf(genesis, [], situation({ height: 0 }))
    assert.deepStrictEqual(visited, [])
    assert.deepStrictEqual(effect, {
      coins: 0,
      bogoSize: 0,
      amounts: {
        prevoutSpent: 0n,
        coinbase: 0n,
        newOutputsExceptCoinbase: 0n,
        genesisBlock: 50n,
        bip30: 0n,
        scripts: 0n,
        unclaimedRewards: 0n
      }
    })
    assert.strictEqual(unspendableOf(effect.amounts), 50n)
  })

  it("a coinbase that is made again later is out of reach from the start, and its fees are unclaimed", () => {
    const block = blockOf([transaction(1, [output(53n)]), transaction(1, [output(7n)])])
    const { effect, visited } = effectOf(block, [[coin(10n, 1)]], situation({ isOverwritten: true }))
    assert.deepStrictEqual(visited, ["+1:0 7 false 10", "-1:0 10"])
    assert.deepStrictEqual([effect.amounts.bip30, effect.amounts.coinbase, effect.amounts.unclaimedRewards], [
      50n,
      0n,
      3n
    ])
  })

  it("only the two blocks of the main network are of that kind", () => {
    const display = "00000000000271a2dc26e7667f8419f2e15416dc6955e5a6c6cdf3f2574dd08e"
    const hash = new Uint8Array(Buffer.from(display, "hex").reverse())
    assert.isTrue(isOverwrittenCoinbase(91_722, hash))
    assert.isFalse(isOverwrittenCoinbase(91_723, hash))
    assert.isFalse(isOverwrittenCoinbase(91_722, new Uint8Array(32)))
  })
})

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

describe("records", () => {
  it("come back as they were, and are none when they have another size", () => {
    const amounts = fc.record({
      prevoutSpent: int64,
      coinbase: int64,
      newOutputsExceptCoinbase: int64,
      genesisBlock: int64,
      bip30: int64,
      scripts: int64,
      unclaimedRewards: int64
    })
    const record = fc.record({
      txouts: fc.maxSafeInteger(),
      bogoSize: int64,
      total: int64,
      unspendable: int64,
      amounts,
      muHash: fc.uint8Array({ minLength: 32, maxLength: 32 })
    })
    fc.assert(
      fc.property(record, (each) => {
        const bytes = encodeStatistics(each)
        assert.deepStrictEqual(decodeStatistics(bytes), each)
        assert.isUndefined(decodeStatistics(bytes.subarray(1)))
        const { blockInfo, unspendable } = indexedStatistics(each)
        assert.strictEqual(unspendable, each.unspendable)
        assert.strictEqual(
          blockInfo.unspendable,
          Object.values(blockInfo.unspendables).reduce((sum, value) => sum + value, 0n)
        )
      }),
      { seed }
    )
  })

  it("a running state comes back as it was", () => {
    const element = muHashElement(Uint8Array.of(1, 2, 3), testCrypto)
    const { numerator } = muHashInsert(EMPTY_MUHASH, element)
    for (
      const muHash of [EMPTY_MUHASH, { numerator, denominator: 2n }, {
        numerator: 1n,
        denominator: 2n ** 3072n - 1_103_718n
      }]
    ) {
      const state = { ...NOTHING_YET, txouts: 5, bogoSize: 2n ** 40n, total: 21n * 10n ** 14n, unspendable: 1n, muHash }
      assert.deepStrictEqual(decodeRunningState(encodeRunningState(state)), state)
    }
    assert.isUndefined(decodeRunningState(new Uint8Array(799)))
  })
})
