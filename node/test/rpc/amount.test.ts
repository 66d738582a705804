import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readJson } from "../../src/json/read-json.ts"
import { satoshisOf } from "../../src/methods/raw-transaction/amount.ts"
import { rpcErrorOf } from "../../src/rpc/rpc-error.ts"

/** What the JSON text stands for, or why it stands for no amount. */
const read = (json: string): bigint | string => {
  const result = satoshisOf(readJson(json)!)
  if (Result.isSuccess(result)) return result.success
  assert.strictEqual(rpcErrorOf(result.failure).code, -3)
  return result.failure.message
}

describe("an amount of bitcoins", () => {
  it.each<readonly [json: string, satoshis: bigint]>([
    ["0", 0n],
    ["-0", 0n],
    ["0.0", 0n],
    ["0e9", 0n],
    ["0.00e9", 0n],
    ["0.000000000", 0n],
    ["0e-8", 0n],
    ["1", 100_000_000n],
    ["\"1\"", 100_000_000n],
    ["0.00000001", 1n],
    ["1e-8", 1n],
    ["1E-8", 1n],
    ["10e-9", 1n],
    ["0.1e-7", 1n],
    ["0.12345678", 12_345_678n],
    ["0.123456780", 12_345_678n],
    ["1.2e1", 1_200_000_000n],
    ["1.5E+2", 15_000_000_000n],
    ["20999999.99999999", 2_099_999_999_999_999n],
    ["21000000", 2_100_000_000_000_000n],
    ["2.1e7", 2_100_000_000_000_000n]
  ])("%s is read exactly", (json, satoshis) => {
    assert.strictEqual(read(json), satoshis)
  })

  it.each([
    "0.123456789",
    "\"0.123456789\"",
    "1e-9",
    "0.000000001",
    "1.000000001",
    "0.1e-8",
    "20999999.999999991",
    "1e41",
    "1e400",
    "-1e-9",
    "0e99999999",
    "0e10",
    "0e-9",
    "-0e10",
    "0.0e10",
    "1e10",
    "1e30",
    "1234567890123456789",
    "\"0e99999999\""
  ])("%s has more than eight decimals, or too many digits: Invalid amount", (json) => {
    assert.strictEqual(read(json), "Invalid amount")
  })

  it.each([
    "\"\"",
    "\" 1\"",
    "\"1 \"",
    "\"01\"",
    "\"1.\"",
    "\".5\"",
    "\"+1\"",
    "\"0x1\"",
    "\"1,5\"",
    "\"NaN\"",
    "\"1e\"",
    "\"--1\""
  ])(
    "the text %s is no number: Invalid amount",
    (json) => assert.strictEqual(read(json), "Invalid amount")
  )

  it.each(["-1", "-0.00000001", "21000000.00000001", "21000001", "1e9", "999999999"])("%s is out of range", (json) => {
    assert.strictEqual(read(json), "Amount out of range")
  })

  it.each(["true", "null", "[1]", "{\"a\":1}"])("%s is not a number or string", (json) => {
    assert.strictEqual(read(json), "Amount is not a number or string")
  })
})
