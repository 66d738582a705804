import type { Coin } from "@lockstep/kernel/utxo"
import { assert, describe, it } from "vitest"
import type { HeaderIndex } from "../../src/engine/header-index/header-index.ts"
import {
  decodeStatistics,
  encodeStatistics,
  indexedStatistics,
  STATISTICS_SIZE
} from "../../src/indexes/coin-statistics/statistics-record.ts"
import { decodeRunningState, encodeRunningState, NOTHING_YET } from "../../src/indexes/coin-statistics/running-state.ts"
import {
  decodeHistory,
  decodeUnspent,
  decodeValue,
  encodeHistory,
  encodeUnspent,
  encodeValue,
  historyKey,
  scriptRange,
  unspentKey,
  valueKey,
  valueRange
} from "../../src/indexes/outputs/output-entries.ts"
import { blockOfPlace, markOf, placeAt, writePlace } from "../../src/indexes/transaction-index/transaction-place.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const SCRIPT = new Uint8Array(32).fill(0x11)
const TXID = new Uint8Array(32).fill(0x22)
const [S, T] = ["11".repeat(32), "22".repeat(32)]

/** The same bytes inside a larger buffer. */
const inside = (bytes: Uint8Array): Uint8Array => {
  const larger = new Uint8Array(bytes.length + 20).fill(0xee)
  larger.set(bytes, 7)
  return larger.subarray(7, 7 + bytes.length)
}

const placed = (coin: Partial<Coin>) => ({
  txid: TXID,
  vout: 0x01020304,
  coin: { height: 0x0a0b0c0d, value: 5_000_000_000n, isCoinbase: false, script: new Uint8Array(0), ...coin }
})

describe("entries of the indexes of outputs", () => {
  it("of a history have script, height and place in their keys, and amounts behind the transaction", () => {
    const key = historyKey(SCRIPT, 0x0a0b0c0d, 0x01020304)
    assert.strictEqual(hex(key), `61${S}0a0b0c0d01020304`)
    const value = encodeHistory({ txid: TXID, received: 1n, sent: 258n })
    assert.strictEqual(hex(value), `${T}00000000000000010000000000000102`)
    const entry = { height: 0x0a0b0c0d, position: 0x01020304, txid: TXID, received: 1n, sent: 258n }
    assert.deepStrictEqual(decodeHistory(inside(key), inside(value)), entry)
    assert.strictEqual(decodeHistory(key, value)!.txid.buffer.byteLength, 32, "memory of its own")
    for (const [k, v] of [[key.subarray(1), value], [key, value.subarray(1)], [new Uint8Array(42), value]] as const) {
      assert.isUndefined(decodeHistory(k, v))
    }
  })

  it("of unspent outputs have script, height, transaction and number in their keys", () => {
    const key = unspentKey(SCRIPT, placed({}))
    assert.strictEqual(hex(key), `75${S}0a0b0c0d${T}01020304`)
    for (const isCoinbase of [true, false]) {
      const value = encodeUnspent(placed({ isCoinbase }))
      assert.strictEqual(hex(value), `000000012a05f2000${isCoinbase ? 1 : 0}`)
      const entry = { height: 0x0a0b0c0d, txid: TXID, vout: 0x01020304, value: 5_000_000_000n, isCoinbase }
      assert.deepStrictEqual(decodeUnspent(inside(key), inside(value)), entry)
      assert.isUndefined(decodeUnspent(key.subarray(1), value))
      assert.isUndefined(decodeUnspent(key, value.subarray(1)))
    }
  })

  it("by value have value, transaction and number in their keys", () => {
    const key = valueKey(placed({}))
    assert.strictEqual(hex(key), `76000000012a05f200${T}01020304`)
    for (const isCoinbase of [true, false]) {
      const value = encodeValue(placed({ isCoinbase }))
      assert.strictEqual(hex(value), `0a0b0c0d0${isCoinbase ? 1 : 0}`)
      const entry = { height: 0x0a0b0c0d, txid: TXID, vout: 0x01020304, value: 5_000_000_000n, isCoinbase }
      assert.deepStrictEqual(decodeValue(inside(key), inside(value)), entry)
      assert.isUndefined(decodeValue(key.subarray(1), value))
      assert.isUndefined(decodeValue(key, value.subarray(1)))
    }
  })

  it("lie between the ends of the range of their script or of their values, and no others do", () => {
    const { from, to } = scriptRange(0x76, SCRIPT)
    assert.strictEqual(hex(from), `76${S}`)
    assert.strictEqual(hex(to), `76${S}${"ff".repeat(33)}`)
    const values = valueRange(5n, 7n)
    assert.deepStrictEqual([hex(values.from), hex(values.to)], ["760000000000000005", "760000000000000008"])
  })
})

const AMOUNTS = {
  prevoutSpent: 5n,
  coinbase: 6n,
  newOutputsExceptCoinbase: 7n,
  genesisBlock: 8n,
  bip30: 9n,
  scripts: 10n,
  unclaimedRewards: 11n
}

describe("records of the index of coin statistics", () => {
  const record = { txouts: 1, bogoSize: 2n, total: 3n, unspendable: 4n, amounts: AMOUNTS, muHash: SCRIPT }

  it("have eleven numbers in one order, then the hash", () => {
    const bytes = encodeStatistics(record)
    const numbers = Array.from({ length: 11 }, (_, i) => (i + 1).toString(16).padStart(16, "0"))
    assert.strictEqual(hex(bytes), `${numbers.join("")}${S}`)
    assert.strictEqual(STATISTICS_SIZE, 120)
    assert.deepStrictEqual(decodeStatistics(inside(bytes)), record)
    for (const other of [bytes.subarray(1), new Uint8Array(121)]) assert.isUndefined(decodeStatistics(other))
  })

  it("are answered with what became unspendable in the block and up to it", () => {
    assert.deepStrictEqual(indexedStatistics(record), {
      unspendable: 4n,
      blockInfo: {
        prevoutSpent: 5n,
        coinbase: 6n,
        newOutputsExceptCoinbase: 7n,
        unspendable: 38n,
        unspendables: { genesisBlock: 8n, bip30: 9n, scripts: 10n, unclaimedRewards: 11n }
      }
    })
  })

  it("go on from a state of four numbers and both parts of the hash", () => {
    const state = { txouts: 1, bogoSize: 2n, total: 3n, unspendable: 4n, muHash: { numerator: 5n, denominator: 6n } }
    const bytes = encodeRunningState(state)
    const numbers = [1, 2, 3, 4].map((number) => number.toString(16).padStart(16, "0")).join("")
    const part = (digit: number): string => digit.toString(16).padStart(768, "0")
    assert.strictEqual(hex(bytes), `${numbers}${part(5)}${part(6)}`)
    assert.deepStrictEqual(decodeRunningState(inside(bytes)), state)
    for (const other of [bytes.subarray(1), new Uint8Array(801)]) assert.isUndefined(decodeRunningState(other))
    assert.deepStrictEqual(decodeRunningState(encodeRunningState(NOTHING_YET)), NOTHING_YET)
    const { muHash, ...zeros } = NOTHING_YET
    assert.deepStrictEqual(zeros, { txouts: 0, bogoSize: 0n, total: 0n, unspendable: 0n })
    assert.deepStrictEqual(muHash, { numerator: 1n, denominator: 1n })
  })
})

describe("places of the transaction index", () => {
  it("are four numbers, wherever they stand", () => {
    const bytes = new Uint8Array(40)
    const place = { height: 0x01020304, mark: 0x05060708, offset: 0x090a0b0c, size: 0xfffefdfc }
    writePlace(bytes.subarray(3), 7, place)
    assert.strictEqual(hex(bytes), `${"00".repeat(10)}0102030405060708090a0b0cfffefdfc${"00".repeat(14)}`)
    assert.deepStrictEqual(placeAt(bytes.subarray(3), 7), place)
    assert.strictEqual(markOf(inside(Uint8Array.of(1, 2, 3, 4, 5))), 0x01020304)
  })

  it("belong to the block with their height and the beginning of its hash, in the active chain or beside it", () => {
    const node = (height: number, first: number) => ({ height, hash: new Uint8Array(32).fill(first, 0, 1) })
    const [genesis, one, two, other, late] = [node(0, 9), node(1, 1), node(2, 2), node(1, 3), node(5, 1)]
    const tree = {
      tip: two,
      active: [0, 1, 2],
      nodes: [genesis, one, two, other, late]
    } as unknown as HeaderIndex
    const blockAt = (height: number, first: number) =>
      blockOfPlace(tree, { height, mark: first * 2 ** 24, offset: 0, size: 0 })
    assert.strictEqual(blockAt(1, 1), one as never)
    assert.strictEqual(blockAt(1, 3), other as never)
    assert.strictEqual(blockAt(5, 1), late as never)
    assert.isUndefined(blockAt(1, 4))
    assert.isUndefined(blockAt(7, 1))
  })
})
