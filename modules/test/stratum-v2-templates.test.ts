import type { BlockTemplate } from "@lockstep/sdk"
import { assert, describe, it } from "vitest"
import { fittedTemplate } from "../stratum-v2/src/template-distribution/fitted-template.ts"
import { blockTemplate } from "./block-template.ts"
import { ANYONE, outputsFor, spend, type TestTransaction } from "./stratum-v2-coinbase.ts"

const RESERVED = 1_168

const payments = [1, 2, 3].map((value) => spend(Buffer.alloc(32, value), value))

/** The script that commits to transactions, as a client would make it. */
const commitment = (transactions: ReadonlyArray<TestTransaction>): Uint8Array =>
  new Uint8Array(outputsFor(transactions, 0, ANYONE)[1]!.subarray(9))

const template = (change: Partial<BlockTemplate> = {}): BlockTemplate =>
  blockTemplate({
    previous_hash: new Uint8Array(32),
    coinbase_value: 5_000_000_006,
    default_witness_commitment: commitment(payments),
    weight_limit: RESERVED + 1_200,
    transactions: payments.map(({ data, txid, wtxid }, i) => ({
      data,
      txid,
      wtxid,
      fee: i + 1,
      sigops: 10,
      weight: 400,
      depends: []
    })),
    ...change
  })

const present = template()

describe("a template for a client that adds to the coinbase", () => {
  it("is the node's, where there is room", () => {
    assert.strictEqual(fittedTemplate(present, { size: 0, sigops: 0 }), present)
  })

  it.each([
    ["bytes", { size: 1, sigops: 0 }, present],
    ["signature operations", { size: 0, sigops: 1 }, template({ sigop_limit: 33 })]
  ])("loses its last transaction, with its fee, where %s lack", (_, constraints, from) => {
    const fitted = fittedTemplate(from, constraints)!
    assert.lengthOf(fitted.transactions, 2)
    assert.strictEqual(fitted.coinbase_value, 5_000_000_003)
    assert.deepStrictEqual(fitted.default_witness_commitment, commitment(payments.slice(0, 2)))
  })

  it("has none, and no commitment before witnesses are in force", () => {
    const fitted = fittedTemplate(template({ default_witness_commitment: undefined }), { size: 300, sigops: 0 })!
    assert.deepStrictEqual([fitted.transactions, fitted.default_witness_commitment], [[], undefined])
  })

  it.each([
    ["a block", { size: 301, sigops: 0 }, present],
    ["its signature operations", { size: 0, sigops: 20_001 }, present],
    ["a commitment that is not BIP141's", { size: 1, sigops: 0 }, template({ default_witness_commitment: ANYONE })]
  ])("does not exist where %s leaves no room", (_, constraints, from) => {
    assert.isUndefined(fittedTemplate(from, constraints))
  })
})
