import { merkleRoot } from "@lockstep/kernel/block"
import { concatBytes } from "@lockstep/kernel/bytes"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  encodeMerkleBlock,
  type MerkleBlock,
  merkleBlockOf,
  provenIds
} from "@lockstep/protocol/merkle-block/partial-merkle-tree.ts"
import { decodeMerkleBlock } from "../../src/methods/chain/decode-merkle-block.ts"
import { testCrypto } from "../engine/test-engine.ts"

const HEADER = new Uint8Array(80).fill(9)
const END_OF_DATA = "DataStream::read(): end of data: iostream error"

const idOf = (i: number): Uint8Array => testCrypto.sha256(Uint8Array.of(i & 255, i >> 8))

const idsOf = (count: number): ReadonlyArray<Uint8Array> => Array.from({ length: count }, (_, i) => idOf(i))

const proofOf = (wanted: ReadonlyArray<boolean>): MerkleBlock =>
  merkleBlockOf(HEADER, idsOf(wanted.length), wanted, testCrypto)

const decoded = (bytes: Uint8Array): MerkleBlock => {
  const found = decodeMerkleBlock(bytes)
  if (typeof found === "string") throw new Error(found)
  return found
}

const someWanted = fc.array(fc.boolean(), { minLength: 1, maxLength: 70 })

describe("partial merkle trees", () => {
  it("prove just the transactions that were wanted, under the root of the block", () =>
    fc.assert(fc.property(someWanted, (wanted) => {
      const ids = idsOf(wanted.length)
      const proven = provenIds(decoded(encodeMerkleBlock(proofOf(wanted))), testCrypto)!
      assert.deepStrictEqual(proven.root, merkleRoot(concatBytes(ids), testCrypto).root)
      assert.deepStrictEqual(proven.ids, ids.filter((_, i) => wanted[i]))
    })))

  it("say so when they are cut off anywhere, and do not mind what follows", () => {
    const bytes = encodeMerkleBlock(proofOf([true, false, true]))
    for (let end = 0; end < bytes.length; end++) {
      assert.strictEqual(decodeMerkleBlock(bytes.subarray(0, end)), END_OF_DATA)
    }
    assert.deepStrictEqual(decoded(concatBytes([bytes, HEADER])), decoded(bytes))
  })

  it("distinguish lengths that are too large from those that are too long", () => {
    const withLength = (...length: ReadonlyArray<number>) =>
      decodeMerkleBlock(concatBytes([HEADER, new Uint8Array(4), Uint8Array.from(length), new Uint8Array(16)]))
    assert.strictEqual(withLength(0xfd, 1, 0), "non-canonical ReadCompactSize(): iostream error")
    assert.strictEqual(withLength(0xfe, 1, 0, 0, 0x10), "ReadCompactSize(): size too large: iostream error")
    assert.strictEqual(withLength(0xff, 1, 0, 0, 0, 0, 0, 0, 0), "non-canonical ReadCompactSize(): iostream error")
    assert.strictEqual(withLength(0xff, 1, 0, 0, 0, 0, 0, 0, 0x80), "ReadCompactSize(): size too large: iostream error")
    assert.strictEqual(withLength(0xfe, 1, 0, 1, 0), END_OF_DATA)
  })

  it("prove nothing when they are not well formed", () => {
    const proof = proofOf([false, true, false, true, true])
    const broken: ReadonlyArray<Partial<MerkleBlock>> = [
      { transactions: 0 },
      { transactions: 16_667 },
      { transactions: 2 },
      { hashes: proof.hashes.slice(1) },
      { hashes: [...proof.hashes, HEADER.slice(0, 32)] },
      { bits: new Uint8Array(0) },
      { bits: Uint8Array.of(...proof.bits, 0) }
    ]
    assert.isDefined(provenIds(proof, testCrypto))
    for (const change of broken) {
      assert.isUndefined(provenIds({ ...proof, ...change }, testCrypto), JSON.stringify(Object.keys(change)))
    }
    const twins = merkleBlockOf(HEADER, [idOf(1), idOf(1)], [true, true], testCrypto)
    assert.isUndefined(provenIds(twins, testCrypto))
  })
})
