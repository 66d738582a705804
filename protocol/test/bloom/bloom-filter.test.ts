import { type Transaction, transactionId, transactionOf } from "@lockstep/kernel/model"
import { nobleCrypto } from "@lockstep/kernel/noble"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { addToFilter, type BloomFilter, bloomFilter, mayContain } from "../../src/bloom/bloom-filter.ts"
import { matchAndUpdate } from "../../src/bloom/match-transaction.ts"
import { murmurHash3 } from "../../src/bloom/murmur-hash-3.ts"
import { check } from "../wire/check.ts"
import { fromHex } from "../wire/hex.ts"

const NONE = 0
const ALL = 1
const PUBKEY_ONLY = 2

const empty = (bytes: number, hashFunctions: number, tweak = 0, flags = NONE): BloomFilter =>
  bloomFilter({ filter: new Uint8Array(bytes), hashFunctions, tweak, flags })

describe("MurmurHash3", () => {
  it.each<readonly [seed: number, data: string, hash: number]>([
    [0, "", 0],
    [0xfba4c795, "", 0x6a396f08],
    [0xffffffff, "", 0x81f16f39],
    [0, "00", 0x514e28b7],
    [0xfba4c795, "00", 0xea3f0b17],
    [0, "ff", 0xfd6cf10d],
    [0, "0011", 0x16c6b7ab],
    [0, "001122", 0x8eb51c3d],
    [0, "00112233", 0xb4471bf8],
    [0, "0011223344", 0xe2301fa8],
    [0, "00112233445566", 0xb074502c],
    [0, "0011223344556677", 0x8034d2a0],
    [0, "001122334455667788", 0xb4698def]
  ])("seed %i of 0x%s", (seed, data, hash) => {
    assert.strictEqual(murmurHash3(seed, fromHex(data)), hash)
  })
})

describe("a bloom filter", () => {
  it("has the bits that Bitcoin Core sets", () => {
    for (const [tweak, bits] of [[0, "614e9b"], [2_147_483_649, "ce4299"]] as const) {
      const filter = empty(3, 5, tweak, ALL)
      for (
        const each of [
          "99108ad8ed9bb6274d3980bab5a85c048f0950c8",
          "b5a2c786d9ef4658287ced5914b37a1b4aa32eee",
          "b9300670b4c5366e95b2699e8b18bc75e5f729c5"
        ]
      ) addToFilter(filter, fromHex(each))
      assert.deepStrictEqual(filter.bits, fromHex(bits))
      assert.isTrue(mayContain(filter, fromHex("99108ad8ed9bb6274d3980bab5a85c048f0950c8")))
      assert.isFalse(mayContain(filter, fromHex("19108ad8ed9bb6274d3980bab5a85c048f0950c8")))
    }
  })

  it("contains whatever was added, and what it contains stays", () => {
    check(fc.property(
      fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 40 }),
      fc.nat(60),
      fc.nat(50),
      fc.nat(0xffffffff),
      (items, bytes, functions, tweak) => {
        const filter = empty(bytes, functions, tweak)
        for (const item of items) addToFilter(filter, item)
        for (const item of items) assert.isTrue(mayContain(filter, item))
      }
    ))
  })

  it("without bits matches everything, and nothing is added to it (CVE-2013-5700)", () => {
    const filter = empty(0, 1)
    addToFilter(filter, Uint8Array.of(1))
    assert.isTrue(mayContain(filter, Uint8Array.of(2)))
    assert.lengthOf(filter.bits, 0)
  })

  it("does not share its bits with the message it came in", () => {
    const message = new Uint8Array(8)
    addToFilter(bloomFilter({ filter: message, hashFunctions: 3, tweak: 0, flags: 0 }), Uint8Array.of(1))
    assert.deepStrictEqual(message, new Uint8Array(8))
  })
})

const PUSHED = fromHex("04".padEnd(66, "11"))
const KEY = fromHex(`02${"22".repeat(32)}`)
const TXID = new Uint8Array(32).fill(7)

const push = (data: Uint8Array): Uint8Array => Uint8Array.of(data.length, ...data)

const transaction = (parts: { readonly input?: Uint8Array; readonly output?: Uint8Array; readonly vout?: number }) =>
  transactionOf({
    version: 2,
    inputs: [{
      prevout: { txid: TXID, vout: parts.vout ?? 1 },
      script: parts.input ?? new Uint8Array(0),
      sequence: 0,
      witness: []
    }],
    outputs: [
      { value: 1n, script: Uint8Array.of(0x51) },
      { value: 1n, script: parts.output ?? new Uint8Array(0) }
    ],
    lockTime: 0
  })

const outpoint = (txid: Uint8Array, vout: number): Uint8Array => Uint8Array.of(...txid, vout, 0, 0, 0)

const filterOf = (flags: number, ...items: ReadonlyArray<Uint8Array>): BloomFilter => {
  const filter = empty(2_000, 10, 5, flags)
  for (const item of items) addToFilter(filter, item)
  return filter
}

const matches = (filter: BloomFilter, tx: Transaction): boolean =>
  matchAndUpdate(filter, tx, transactionId(tx, nobleCrypto))

describe("a transaction matches", () => {
  it("by its id, by what outputs and inputs push, and by an outpoint it spends; by nothing else", () => {
    const tx = transaction({ input: push(KEY), output: Uint8Array.of(0x76, ...push(PUSHED), 0x87) })
    for (const item of [transactionId(tx, nobleCrypto), PUSHED, KEY, outpoint(TXID, 1)]) {
      assert.isTrue(matches(filterOf(NONE, item), tx))
    }
    for (const item of [outpoint(TXID, 2), TXID, PUSHED.subarray(1), Uint8Array.of(0x51), new Uint8Array(0)]) {
      assert.isFalse(matches(filterOf(NONE, item), tx))
    }
    assert.isTrue(matches(empty(0, 0), tx))
  })

  it("by what a script pushes before it is cut off, whichever opcode pushes it", () => {
    const item = new Uint8Array(5).fill(3)
    for (const pushed of [[5], [0x4c, 5], [0x4d, 5, 0], [0x4e, 5, 0, 0, 0]]) {
      assert.isTrue(matches(filterOf(NONE, item), transaction({ output: Uint8Array.of(...pushed, ...item, 0x4c) })))
    }
    assert.isFalse(matches(filterOf(NONE, item), transaction({ output: Uint8Array.of(6, ...item) })))
    assert.isFalse(matches(filterOf(NONE, item), transaction({ output: Uint8Array.of(0x4c, 9, 0, 5, ...item) })))
  })

  it.each<readonly [form: string, script: Uint8Array, item: Uint8Array, takenIn: ReadonlyArray<number>]>([
    ["a key", Uint8Array.of(...push(KEY), 0xac), KEY, [ALL, PUBKEY_ONLY]],
    ["a bare multisig", Uint8Array.of(0x51, ...push(KEY), 0x51, 0xae), KEY, [ALL, PUBKEY_ONLY]],
    ["something else", Uint8Array.of(0x76, ...push(PUSHED), 0x87), PUSHED, [ALL]]
  ])("and takes in the outpoint of an output that pays %s, as its flags say", (_, output, item, takenIn) => {
    const tx = transaction({ output })
    const spent = outpoint(transactionId(tx, nobleCrypto), 1)
    for (const flags of [NONE, ALL, PUBKEY_ONLY]) {
      const filter = filterOf(flags, item)
      assert.isTrue(matches(filter, tx))
      assert.strictEqual(mayContain(filter, spent), takenIn.includes(flags), String(flags))
      const spender = transactionOf({
        version: 2,
        inputs: [{
          prevout: { txid: transactionId(tx, nobleCrypto), vout: 1 },
          script: new Uint8Array(0),
          sequence: 0,
          witness: []
        }],
        outputs: [],
        lockTime: 0
      })
      assert.strictEqual(matches(filter, spender), takenIn.includes(flags))
    }
  })

  it("updates by the two lowest bits of the flags alone; both of them together are none", () => {
    for (const [flags, update] of [[0, "none"], [1, "all"], [2, "pubkey-only"], [3, "none"], [0xfd, "all"]] as const) {
      assert.strictEqual(empty(1, 1, 0, flags).update, update)
    }
  })
})
