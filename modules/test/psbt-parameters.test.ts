import { type JsonValue, RpcError } from "@lockstep/sdk"
import { assert, describe, it } from "vitest"
import { positional, RpcErrorCode, textAt } from "../psbt/src/parameters.ts"

const NAMES = ["one", "two"]

const outcome = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error instanceof RpcError ? [error.code, error.message] : error
  }
}

describe("parameters of the methods of the module psbt", () => {
  it.each<readonly [JsonValue, unknown]>([
    [["a", "b"], ["a", "b"]],
    [["a"], ["a"]],
    [[], []],
    [["a", "b", "c"], [-1, "the parameters are one, two"]],
    [{ two: "b" }, [null, "b"]],
    [{ one: "a", two: 2 }, ["a", 2]],
    [{}, [null, null]],
    [{ three: 1 }, [-8, "Unknown named parameter three"]],
    [null, []],
    ["text", []]
  ])("have their places: %j", (params, expected) => {
    assert.deepStrictEqual(outcome(() => positional(params, NAMES)), expected)
  })

  it.each<readonly [JsonValue, number, string | undefined, unknown]>([
    [["a", "b"], 1, undefined, "b"],
    [["a"], 0, "standard", "a"],
    [[""], 0, "standard", ""],
    [["a"], 1, "standard", "standard"],
    [[null], 0, "standard", "standard"],
    [[null], 0, undefined, [-1, "name is missing"]],
    [[], 0, undefined, [-1, "name is missing"]],
    [{ name: "a" }, 0, undefined, [-1, "name is missing"]],
    [[5], 0, "standard", [-3, "name must be a text"]],
    [[false], 0, undefined, [-3, "name must be a text"]]
  ])("are texts: of %j that at %d, with %j for none", (params, position, standard, expected) => {
    assert.deepStrictEqual(outcome(() => textAt(params, position, "name", standard)), expected)
  })

  it("are refused with the codes of Bitcoin Core", () => {
    assert.deepStrictEqual(RpcErrorCode, {
      misc: -1,
      type: -3,
      invalidAddressOrKey: -5,
      invalidParameter: -8,
      deserialization: -22
    })
  })
})
