import { assert, describe, it } from "vitest"
import { JsonNumber, jsonText, type JsonValue } from "../src/run/json-text.ts"
import { RpcError } from "../src/run/rpc-error.ts"

describe("a result as JSON", () => {
  it.each<readonly [value: unknown, text: string]>([
    [null, "null"],
    [true, "true"],
    [1.5, "1.5"],
    ["a\"\n", "\"a\\\"\\n\""],
    [new JsonNumber("0.00001000"), "0.00001000"],
    [[], "[]"],
    [[1, [new JsonNumber("1.0")], "a"], "[1,[1.0],\"a\"]"],
    [{}, "{}"],
    [{ a: { b: new JsonNumber("2.50") }, c: undefined, d: null }, "{\"a\":{\"b\":2.50},\"d\":null}"],
    [{ "a\"": 1, f: () => 1 }, "{\"a\\\"\":1}"],
    [undefined, "null"],
    [[undefined, () => 1], "[null,null]"],
    [new Date(0), "\"1970-01-01T00:00:00.000Z\""],
    [{ toJSON: () => [1] }, "[1]"]
  ])("of %o is %s", (value, text) => {
    assert.strictEqual(jsonText(value as JsonValue), text)
  })

  it.each(["0", "-0", "10", "1.50", "-1e+3", "1E5", "0.00001000"])("has the digits %s as they are", (digits) => {
    assert.strictEqual(jsonText(new JsonNumber(digits)), digits)
  })

  it.each(["", " 1", "+1", "01", "1.", ".5", "0x1", "1,2", "1e", "NaN", "Infinity"])("has no digits %j", (digits) => {
    assert.throws(() => new JsonNumber(digits), `${digits} is no number of JSON`)
  })
})

describe("the code of an error of RPC", () => {
  it.each([0, -1, -32_603, 99_999, -99_999])("may be %d", (code) => {
    const error = new RpcError(code, "no")
    assert.deepStrictEqual([error.code, error.message, error.name], [code, "no", "RpcError"])
    assert.instanceOf(error, Error)
  })

  it.each([1.5, NaN, Infinity, 100_000, -100_000])("is not %d", (code) => {
    assert.throws(() => new RpcError(code, "no"), `${code} is no code of an error of RPC`)
  })
})
