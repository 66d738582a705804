import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { concatBytes } from "../../src/bytes/equal.ts"
import { cursorOn } from "../../src/bytes/cursor.ts"
import {
  decodeTransaction,
  encodeWithoutWitness,
  nobleCrypto,
  transactionId,
  witnessTransactionId
} from "../../src/index.ts"
import { readTransaction } from "../../src/model/transaction-codec.ts"
import { transactionWeight } from "../../src/model/weight.ts"
import { SPENDS, transactionIn } from "../signing.ts"

const { bytes: legacy } = SPENDS["public key hash"]!
const { bytes: segwit } = SPENDS["taproot"]!

/** Everything before the witness, which is one item of 64 bytes, and the lock time. */
const beforeWitness = segwit.subarray(0, segwit.length - 66 - 4)

const refusalOf = (bytes: Uint8Array): readonly [rule: string, offset: number] => {
  const verdict = decodeTransaction(bytes)
  assert(Result.isFailure(verdict))
  return [verdict.failure.rule, verdict.failure.detail.offset]
}

/** `bytes` somewhere inside a larger buffer, with something else on both sides. */
const surrounded = (bytes: Uint8Array): Uint8Array => {
  const buffer = new Uint8Array(bytes.length + 30).fill(0xee)
  buffer.set(bytes, 13)
  return buffer.subarray(13, 13 + bytes.length)
}

describe("decodeTransaction", () => {
  it.each([["legacy", legacy], ["witness", segwit]])(
    "decodes the %s form from any kind of byte array alike",
    (_, bytes) => {
      const expected = transactionIn(bytes)
      for (
        const given of [Buffer.from(bytes), surrounded(bytes), Buffer.from(surrounded(bytes).buffer, 13, bytes.length)]
      ) {
        const tx = transactionIn(given)
        assert.deepStrictEqual(transactionId(tx, nobleCrypto), transactionId(expected, nobleCrypto))
        assert.deepStrictEqual(witnessTransactionId(tx, nobleCrypto), witnessTransactionId(expected, nobleCrypto))
        assert.strictEqual(transactionWeight(tx), transactionWeight(expected))
        assert.deepStrictEqual([tx.version, tx.lockTime, tx.inputs[0]!.sequence], [2, 0, 0xfffffffe])
        assert.deepStrictEqual([tx.outputs[0]!.value, tx.inputs[0]!.prevout.vout], [10_000n, 3])
        assert.strictEqual(tx.inputs[0]!.witness.length, expected.inputs[0]!.witness.length)
      }
    }
  )

  it("answers views of what it was given, and copies nothing", () => {
    const given = surrounded(segwit)
    const tx = transactionIn(given)
    for (
      const view of [tx.bytes, tx.body, tx.inputs[0]!.prevout.txid, tx.inputs[0]!.witness[0]!, tx.outputs[0]!.script]
    ) {
      assert.strictEqual(view.buffer, given.buffer)
    }
  })

  it("leaves what it was given as it was", () => {
    for (const bytes of [legacy, segwit]) {
      const given = Buffer.from(bytes)
      encodeWithoutWitness(transactionIn(given))
      assert.deepStrictEqual(Uint8Array.from(given), bytes)
    }
  })

  it("reads one of several in a row and stands behind it", () => {
    const cursor = cursorOn(surrounded(concatBytes([segwit, legacy])))
    assert.isTrue(readTransaction(cursor).hasWitness)
    assert.strictEqual(cursor.offset, segwit.length)
    assert.isFalse(readTransaction(cursor).hasWitness)
    assert.isUndefined(cursor.broken)
  })

  it("says where bytes are missing or too many", () => {
    assert.deepStrictEqual(refusalOf(new Uint8Array(0)), ["SER-003", 0])
    assert.deepStrictEqual(refusalOf(legacy.subarray(0, legacy.length - 1)), ["SER-003", legacy.length - 4])
    assert.deepStrictEqual(refusalOf(concatBytes([legacy, Uint8Array.of(0)])), ["SER-004", legacy.length])
  })
})

describe("a transaction with a witness of 500,003 items", () => {
  const bytes = concatBytes([
    beforeWitness,
    Uint8Array.of(0xfe, 0x23, 0xa1, 0x07, 0x00),
    new Uint8Array(500_003),
    Uint8Array.of(0, 0, 0, 0)
  ])

  it("decodes, without a deep stack", () => {
    const tx = transactionIn(bytes)
    assert.strictEqual(tx.inputs[0]!.witness.length, 500_003)
    assert.strictEqual(encodeWithoutWitness(tx).length, tx.body.length + 8)
  })
})

describe("a declared length", () => {
  const version = segwit.subarray(0, 4)
  const toScript = concatBytes([version, Uint8Array.of(1), segwit.subarray(7, 43)])
  const toOutputs = concatBytes([toScript, Uint8Array.of(0, 0, 0, 0, 0)])
  const places = [
    ["of inputs", version],
    ["of a script", toScript],
    ["of outputs", toOutputs],
    ["of witness items", beforeWitness],
    ["of a witness item", concatBytes([beforeWitness, Uint8Array.of(1)])]
  ] as const

  /** Bytes allocated while `bytes` are refused. */
  const allocatedFor = (bytes: Uint8Array): number => {
    const before = process.memoryUsage()
    refusalOf(bytes)
    const after = process.memoryUsage()
    return after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers
  }

  it.each(places)("%s: 2³² − 1 is too large, and reserves no memory", (_, before) => {
    const bytes = concatBytes([before, Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0xff)])
    assert.deepStrictEqual(refusalOf(bytes), ["SER-001", before.length])
    assert.isBelow(allocatedFor(bytes), 1_000_000)
  })

  it.each(places)("%s: 2²⁵ is not, and reserves no memory for what has not arrived", (_, before) => {
    const bytes = concatBytes([before, Uint8Array.of(0xfe, 0, 0, 0, 2)])
    assert.deepStrictEqual(refusalOf(bytes), ["SER-003", before.length + 5])
    assert.isBelow(allocatedFor(bytes), 1_000_000)
  })
})
