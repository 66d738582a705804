import { type Block, type Transaction, transactionOf } from "@lockstep/kernel/model"
import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { assert, describe, it } from "vitest"
import { blockAtStart, blockOf, withWitnessNonce } from "../../../src/engine/validation/read-block.ts"
import { loose } from "../mempool/loose-transactions.ts"
import { plantedRoot, plantOn } from "../planted-blocks.ts"

const { bytes } = plantOn(plantedRoot(), 1)

describe("a block in bytes", () => {
  it("is all of them, or what they begin with", () => {
    const longer = Uint8Array.of(...bytes, 1, 2, 3)
    assert.deepStrictEqual(blockOf(bytes)?.bytes, bytes)
    assert.isUndefined(blockOf(longer))
    assert.deepStrictEqual(blockAtStart(bytes)?.bytes, bytes)
    assert.deepStrictEqual(blockAtStart(longer)?.bytes, bytes)
    const twice = Uint8Array.of(...bytes, ...bytes.subarray(81))
    assert.deepStrictEqual(blockAtStart(twice)?.bytes, bytes, "what is behind it is a transaction as well")
  })

  it("is none when they end before it does", () => {
    for (const length of [0, 79, 80, 81, bytes.length - 1]) {
      assert.isUndefined(blockAtStart(bytes.subarray(0, length)), `${length} bytes`)
    }
  })
})

const COMMITMENT = Uint8Array.from(Buffer.from(`6a24aa21a9ed${"11".repeat(32)}`, "hex"))
const NULL_OUTPOINT = { txid: new Uint8Array(32), vout: 0xffffffff }

const coinbase = (script: Uint8Array, witness: ReadonlyArray<Uint8Array> = []): Transaction =>
  transactionOf({
    version: 1,
    inputs: [{ prevout: NULL_OUTPOINT, script: Uint8Array.of(0x51, 0x51), sequence: 0, witness }],
    outputs: [{ value: 0n, script }],
    lockTime: 0
  })

const blockWith = (...transactions: ReadonlyArray<Transaction>): Block =>
  blockOf(
    concatBytes([
      bytes.subarray(0, 80),
      encodeCompactSize(transactions.length),
      ...transactions.map((transaction) => transaction.bytes)
    ])
  )!

describe("the witness that a miner's software may leave out", () => {
  const other = loose({ inputs: [{ txid: new Uint8Array(32).fill(3), vout: 0 }], values: [1n] })
  const committing = blockWith(coinbase(COMMITMENT), other)

  it("is 32 zeros for a coinbase that commits to witnesses, where segwit is in force; the rest stays", () => {
    const completed = withWitnessNonce(committing, true)
    assert.deepStrictEqual(completed.transactions[0]!.inputs[0]!.witness, [new Uint8Array(32)])
    assert.deepStrictEqual(completed.header.bytes, committing.header.bytes)
    assert.deepStrictEqual(completed.transactions[1]!.bytes, other.bytes)
    assert.lengthOf(completed.transactions, 2)
    assert.deepStrictEqual(blockOf(completed.bytes)?.bytes, completed.bytes)
  })

  it("is added nowhere else", () => {
    assert.strictEqual(withWitnessNonce(committing, false), committing, "before segwit")
    const plain = blockWith(coinbase(Uint8Array.of(0x51)), other)
    assert.strictEqual(withWitnessNonce(plain, true), plain, "no commitment")
    const whole = blockWith(coinbase(COMMITMENT, [new Uint8Array(32).fill(7)]), other)
    assert.strictEqual(withWitnessNonce(whole, true), whole, "a witness of its own")
  })
})
