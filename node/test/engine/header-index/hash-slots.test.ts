import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import {
  addHash,
  growSlots,
  type HeaderSlots,
  headerSlots,
  indexOfHash
} from "../../../src/engine/header-index/hash-slots.ts"
import {
  hashBytes,
  headerBytes,
  headerRecords,
  recordAt,
  writeRecord
} from "../../../src/engine/header-index/header-records.ts"

const hashOf = (i: number): Uint8Array => new Uint8Array(createHash("sha256").update(String(i)).digest())

const headerOf = (i: number): Uint8Array => new Uint8Array(80).fill(i & 0xff)

/** A table of so many headers. */
const filled = (count: number): HeaderSlots => {
  const records = headerRecords()
  const table = headerSlots(records)
  for (let i = 0; i < count; i++) {
    writeRecord(records, i, headerOf(i), hashOf(i))
    addHash(table, i)
  }
  return table
}

/** The longest stretch of slots that are taken. */
const longestRun = ({ slots }: HeaderSlots): number => {
  let [longest, run] = [0, 0]
  for (const held of [...slots, ...slots]) {
    run = held === 0 ? 0 : run + 1
    longest = Math.max(longest, run)
  }
  return longest
}

describe("the table of hashes", () => {
  it("has 64 slots at first, and is doubled before more than half of them are taken", () => {
    const sizes = [0, 32, 33, 64, 65, 1_000].map((count) => filled(count).slots.length)
    assert.deepStrictEqual(sizes, [64, 64, 128, 128, 256, 2_048])
    const table = filled(10)
    growSlots(table, 128)
    assert.strictEqual(table.slots.length, 256)
    growSlots(table, 5)
    assert.strictEqual(table.slots.length, 256, "it never gets smaller")
    for (let i = 0; i < 10; i++) assert.strictEqual(indexOfHash(table, hashOf(i)), i)
  })

  it("finds each header by its hash, also one whose hash differs in one bit from another's", () => {
    const records = headerRecords()
    const table = headerSlots(records)
    const hashes = [hashOf(0)]
    for (let bit = 0; bit < 256; bit++) {
      const hash = hashOf(0)
      hash[bit >> 3]! ^= 1 << (bit & 7)
      hashes.push(hash)
    }
    for (const [i, hash] of hashes.entries()) {
      writeRecord(records, i, headerOf(i), hash)
      addHash(table, i)
    }
    for (const [i, hash] of hashes.entries()) assert.strictEqual(indexOfHash(table, hash), i)
    assert.strictEqual(indexOfHash(table, hashOf(1)), -1)
    assert.strictEqual(table.count, 257)
  })

  it("spreads hashes over its slots, so that a look-up is short", () => {
    const table = filled(16_384)
    assert.strictEqual(table.slots.length, 32_768)
    assert.isBelow(longestRun(table), 120)
  })

  it("has nothing in it before the first header, whatever room was made", () => {
    const table = filled(0)
    growSlots(table, 100)
    assert.deepStrictEqual([...table.slots], Array.from({ length: 256 }, () => 0))
  })

  // Byte 11 decides in tables of more than 512 slots.
  it.each([0, 1, 2, 3, 8, 9, 10])("takes byte %d of a hash into account for its slot", (at) => {
    const records = headerRecords()
    const table = headerSlots(records)
    for (let i = 0; i < 256; i++) {
      writeRecord(records, i, headerOf(i), hashOf(0).with(at, i))
      addHash(table, i)
    }
    assert.isBelow(longestRun(table), 128)
  })

  it("has a secret start, so that hashes that collide in one table do not in another", () => {
    const [one, other] = [filled(500), filled(500)]
    assert.notStrictEqual(one.seed, other.seed)
    const isSame = one.slots.map((held, slot) => held !== 0 && held === other.slots[slot] ? 1 : 0)
    assert.isBelow(isSame.reduce((sum, same) => sum + same, 0), 100)
  })
})

describe("records of headers", () => {
  it("hold a header of 80 bytes and its hash of 32, one after another, also where a chunk of 4,096 ends", () => {
    const records = headerRecords()
    for (let i = 0; i < 8_200; i++) writeRecord(records, i, headerOf(i), hashOf(i))
    assert.deepStrictEqual(records.chunks.map(({ bytes }) => bytes.length), [4_096 * 112, 4_096 * 112, 4_096 * 112])
    for (const i of [0, 1, 4_095, 4_096, 8_191, 8_192]) {
      assert.deepStrictEqual(headerBytes(records, i), headerOf(i))
      assert.deepStrictEqual(hashBytes(records, i), hashOf(i))
      assert.deepStrictEqual(recordAt(records, i), new Uint8Array([...headerOf(i), ...hashOf(i)]))
    }
  })
})
