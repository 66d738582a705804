import { nobleCrypto } from "@lockstep/kernel/noble"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  encodeMerkleBlock,
  type MerkleBlock,
  merkleBlockOf,
  provenIds
} from "../../src/merkle-block/partial-merkle-tree.ts"
import { check } from "../wire/check.ts"
import { toHex } from "../wire/hex.ts"

const HEADER = new Uint8Array(80).fill(9)

const idsOf = (count: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: count }, (_, i) => Uint8Array.of(i & 255, i >> 8, ...new Uint8Array(30)))

const both = (left: Uint8Array, right: Uint8Array): Uint8Array => nobleCrypto.sha256d(Uint8Array.of(...left, ...right))

/** The root by its definition: the last one of an odd level stands twice. */
const rootOf = (level: ReadonlyArray<Uint8Array>): Uint8Array =>
  level.length === 1
    ? level[0]!
    : rootOf(level.flatMap((left, i) => i % 2 === 0 ? [both(left, level[i + 1] ?? left)] : []))

const proofOf = (wanted: ReadonlyArray<boolean>): MerkleBlock =>
  merkleBlockOf(HEADER, idsOf(wanted.length), wanted, nobleCrypto)

const proven = (proof: MerkleBlock) => provenIds(proof, nobleCrypto)

describe("what proves that transactions are in a block", () => {
  it("proves those that were wanted, under the root of all", () => {
    check(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), (wanted) => {
        const ids = idsOf(wanted.length)
        const found = proven(proofOf(wanted))!
        assert.strictEqual(toHex(found.root), toHex(rootOf(ids)))
        assert.deepStrictEqual(found.ids, ids.filter((_, i) => wanted[i]))
      })
    )
  })

  it("is the header, a count, hashes depth first and bits, the lowest of each byte first", () => {
    const [a, b, c] = idsOf(3)
    const { bits, hashes, transactions } = proofOf([false, true, false])
    // The root and the left branch lead to the wanted one; of the right branch the hash will do.
    assert.deepStrictEqual([transactions, hashes, bits], [3, [a, b, both(c!, c!)], Uint8Array.of(0b01011)])
    assert.strictEqual(
      toHex(encodeMerkleBlock(proofOf([false, true, false]))),
      `${toHex(HEADER)}0300000003${toHex(a!)}${toHex(b!)}${toHex(both(c!, c!))}010b`
    )
  })

  it("is no proof of more transactions than a block has room for", () => {
    const alone = (count: number) => proven(proofOf(Array.from({ length: count }, (_, i) => i === 7)))
    assert.lengthOf(alone(16_666)!.ids, 1)
    assert.isUndefined(alone(16_667))
    for (const hashes of [[], idsOf(1)]) {
      for (const bits of [Uint8Array.of(), Uint8Array.of(0), Uint8Array.of(1)]) {
        assert.isUndefined(proven({ header: HEADER, transactions: 0, hashes, bits }))
      }
    }
  })

  it("is no proof with two equal branches, which could show a transaction that is not there (CVE-2012-2459)", () => {
    const [a, b] = idsOf(2)
    const bits = Uint8Array.of(0b1111111)
    assert.isUndefined(proven({ header: HEADER, transactions: 4, hashes: [a!, b!, a!, b!], bits }))
    assert.isUndefined(proven({ header: HEADER, transactions: 2, hashes: [a!, a!], bits: Uint8Array.of(0b111) }))
  })

  it("is used up by the proof: no hash and no byte of bits is left, and none is missing", () => {
    const proof = proofOf([true, false, true, true, false])
    const { bits, hashes } = proof
    assert.isDefined(proven(proof))
    assert.isUndefined(proven({ ...proof, hashes: [...hashes, HEADER.subarray(0, 32)] }))
    assert.isUndefined(proven({ ...proof, hashes: hashes.slice(0, -1) }))
    assert.isUndefined(proven({ ...proof, bits: Uint8Array.of(...bits, 0) }))
    assert.isUndefined(proven({ ...proof, bits: bits.subarray(0, -1) }))
  })
})
