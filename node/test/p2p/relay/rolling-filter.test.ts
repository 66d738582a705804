import { assert, describe, it } from "vitest"
import { rollingFilter } from "../../../src/p2p/relay/rolling-filter.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { idOf } from "./made-orphan.ts"

describe("a rolling filter of three", () => {
  it("holds three at least and six at most, and what comes again counts once", () => {
    const filter = rollingFilter(3, seededRandom(1))
    const hash = (value: number) => idOf(value, 1)
    const held = () => [0, 1, 2, 3, 4, 5, 6].filter((value) => filter.has(hash(value)))
    for (let i = 0; i < 11; i++) filter.add(hash(0))
    for (const value of [1, 2, 3, 4, 5]) filter.add(hash(value))
    assert.deepStrictEqual(held(), [0, 1, 2, 3, 4, 5])
    filter.add(hash(6))
    assert.deepStrictEqual(held(), [3, 4, 5, 6])
  })

  it("forgets the older ones too when it is cleared, and begins anew", () => {
    const filter = rollingFilter(3, seededRandom(1))
    for (const value of [0, 1, 2, 3, 4]) filter.add(idOf(value, 1))
    filter.clear()
    assert.deepStrictEqual([0, 1, 2, 3, 4].filter((value) => filter.has(idOf(value, 1))), [])
    for (const value of [5, 6, 7, 8]) filter.add(idOf(value, 1))
    assert.deepStrictEqual([5, 6, 7, 8].filter((value) => filter.has(idOf(value, 1))), [5, 6, 7, 8])
  })
})

describe("a rolling filter", () => {
  const HASHES = Array.from({ length: 3_000 }, (_, i) => idOf(i & 255, i >> 8))

  it("takes no hash for another, however many it holds, and none before it has any", () => {
    const filter = rollingFilter(1_500, seededRandom(5))
    assert.isFalse(HASHES.some(filter.has))
    for (const hash of HASHES.slice(0, 1_500)) filter.add(hash)
    assert.isTrue(HASHES.slice(0, 1_500).every(filter.has))
    assert.isFalse(HASHES.slice(1_500).some(filter.has))
  })

  it("tells hashes apart by any of their bits", () => {
    const filter = rollingFilter(10, seededRandom(5))
    const hash = new Uint8Array(32)
    filter.add(hash)
    for (let bit = 0; bit < 256; bit++) {
      const other = hash.slice()
      other[bit >> 3]! ^= 1 << (bit & 7)
      assert.isFalse(filter.has(other), `bit ${bit}`)
    }
    assert.isTrue(filter.has(hash))
  })

  it("reads a hash where it stands in longer memory", () => {
    const filter = rollingFilter(10, seededRandom(5))
    const memory = new Uint8Array(70).fill(9)
    memory.set(HASHES[7]!, 33)
    filter.add(memory.subarray(33, 65))
    assert.deepStrictEqual([filter.has(HASHES[7]!), filter.has(memory.subarray(0, 32))], [true, false])
  })
})
