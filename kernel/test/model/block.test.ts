import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { concatBytes } from "../../src/bytes/equal.ts"
import { blockHash, blockWeight, decodeBlock, decodeHeader, nobleCrypto, transactionId } from "../../src/index.ts"
import { SPENDS } from "../signing.ts"

const header = Uint8Array.from({ length: 80 }, (_, i) => i)
const transactions = Object.values(SPENDS).map(({ bytes }) => bytes)
const block = concatBytes([header, Uint8Array.of(transactions.length), ...transactions])

const refusalOf = (bytes: Uint8Array): string => {
  const verdict = decodeBlock(bytes)
  assert(Result.isFailure(verdict))
  return verdict.failure.rule
}

describe("decodeBlock", () => {
  it("decodes the same from arrays, Buffers and the middle of a buffer", () => {
    const ids = transactions.map((bytes) => nobleCrypto.sha256d(bytes))
    const padded = Buffer.concat([Buffer.alloc(5), block, Buffer.alloc(5)])
    for (const given of [block, Buffer.from(block), padded.subarray(5, 5 + block.length)]) {
      const decoded = Result.getOrThrow(decodeBlock(given))
      assert.strictEqual(decoded.transactions.length, transactions.length)
      assert.deepStrictEqual(decoded.transactions.map((tx) => nobleCrypto.sha256d(Uint8Array.from(tx.bytes))), ids)
      assert.deepStrictEqual(blockHash(decoded.header, nobleCrypto), nobleCrypto.sha256d(header))
      assert.deepStrictEqual([decoded.header.version, decoded.header.nonce], [0x03020100, 0x4f4e4d4c])
    }
    assert.deepStrictEqual(Uint8Array.from(padded.subarray(5, 5 + block.length)), block)
  })

  it("weighs header and count four times, witnesses once", () => {
    const decoded = Result.getOrThrow(decodeBlock(block))
    const stripped = decoded.transactions.reduce(
      (sum, tx) => sum + (tx.hasWitness ? tx.body.length + 8 : tx.bytes.length),
      0
    )
    assert.strictEqual(
      blockWeight(decoded),
      4 * 81 + 3 * stripped + transactions.reduce((sum, bytes) => sum + bytes.length, 0)
    )
    assert.strictEqual(transactionId(decoded.transactions[0]!, nobleCrypto).length, 32)
  })

  it("refuses a block that is cut off anywhere, and one with a byte too many", () => {
    for (let length = 0; length < block.length; length++) {
      assert.strictEqual(refusalOf(block.subarray(0, length)), "SER-003")
    }
    assert.strictEqual(refusalOf(concatBytes([block, Uint8Array.of(0)])), "SER-004")
  })

  it("does not believe a declared count of transactions", () => {
    assert.strictEqual(refusalOf(concatBytes([header, Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0xff)])), "SER-001")
    assert.strictEqual(refusalOf(concatBytes([header, Uint8Array.of(0xfe, 0, 0, 0, 2)])), "SER-003")
  })
})

describe("decodeHeader", () => {
  it("takes 80 bytes and no other number", () => {
    for (const length of [0, 79, 81]) assert.isTrue(Result.isFailure(decodeHeader(new Uint8Array(length))))
    assert.deepStrictEqual(Result.getOrThrow(decodeHeader(header)).merkleRoot, header.subarray(36, 68))
  })
})
