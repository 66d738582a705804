import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { positionRangeOf } from "../../src/methods/decode/position-range.ts"
import { readJson } from "../../src/json/read-json.ts"
import { rpcErrorOf } from "../../src/rpc/rpc-error.ts"

const read = (json: string) => {
  const result = positionRangeOf(readJson(json)!)
  return Result.isSuccess(result)
    ? result.success
    : { code: rpcErrorOf(result.failure).code, message: result.failure.message }
}

const TOO_LARGE = { code: -8, message: "Range is too large" }

describe("the range of a descriptor", () => {
  it("has at most 1,000,000 positions: one more is refused", () => {
    assert.deepStrictEqual(read("999999"), { from: 0, to: 999_999 })
    assert.deepStrictEqual(read("1000000"), TOO_LARGE)
    assert.deepStrictEqual(read("[0,999999]"), { from: 0, to: 999_999 })
    assert.deepStrictEqual(read("[0,1000000]"), TOO_LARGE)
    assert.deepStrictEqual(read("[5,1000004]"), { from: 5, to: 1_000_004 })
    assert.deepStrictEqual(read("[5,1000005]"), TOO_LARGE)
  })

  it("ends at 2^31 - 1", () => {
    assert.deepStrictEqual(read("[2147483647,2147483647]"), { from: 2_147_483_647, to: 2_147_483_647 })
    const tooHigh = { code: -8, message: "End of range is too high" }
    assert.deepStrictEqual(read("[2147483647,2147483648]"), tooHigh)
    assert.deepStrictEqual(read("[0,4294967296]"), tooHigh)
    assert.deepStrictEqual(read("2147483648"), tooHigh)
  })

  it("begins at 0, and not behind its end", () => {
    assert.deepStrictEqual(read("[0,0]"), { from: 0, to: 0 })
    assert.deepStrictEqual(read("0"), { from: 0, to: 0 })
    assert.deepStrictEqual(read("[-1,5]"), { code: -8, message: "Range should be greater or equal than 0" })
    assert.deepStrictEqual(read("[6,5]"), {
      code: -8,
      message: "Range specified as [begin,end] must not have begin after end"
    })
    assert.deepStrictEqual(read("-1"), { code: -8, message: "End of range is too high" })
  })

  it("is one number or two", () => {
    const wrong = { code: -8, message: "Range must be specified as end or as [begin,end]" }
    for (const json of ["[]", "[1]", "[1,2,3]", "\"1\"", "[\"1\",2]", "[1,\"2\"]", "true", "{}"]) {
      assert.deepStrictEqual(read(json), wrong, json)
    }
    assert.strictEqual((read("[0.5,2]") as { readonly code: number }).code, -1)
  })
})
