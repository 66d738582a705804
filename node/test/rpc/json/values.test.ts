import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  JsonBytes,
  type JsonKind,
  jsonKind,
  JsonMembers,
  JsonNumber,
  type JsonRead
} from "../../../src/json/json-value.ts"
import { LongText } from "../../../src/json/long-text.ts"
import { doubleText } from "../../../src/json/number-text.ts"
import { readJson } from "../../../src/json/read-json.ts"
import { writeJson } from "../../../src/json/write-json.ts"
import * as P from "../../../src/methods/definition/parameter.ts"
import { satoshisOf } from "../../../src/methods/raw-transaction/amount.ts"
import { type CallError, callError, invalidParameter, wrongKind } from "../../../src/queries/call-error.ts"
import { JsonRpcCode, type RpcError, rpcErrorOf } from "../../../src/rpc/rpc-error.ts"

/** The code and the message of an error. */
const shown = (error: CallError): string => {
  const { code, message } = rpcErrorOf(error)
  return `${code} ${message}`
}

/** What a text is read as, written again. */
const again = (text: string, most?: number): string => {
  const value = readJson(text, most)
  return value === undefined ? "none" : writeJson(value)
}

describe("texts that are read", () => {
  it.each<readonly [text: string, read: string]>([
    [" \t\r\n1 \t\r\n", "1"],
    ["\v1", "none"],
    ["1\f", "none"],
    ["[ 1 , 2 ]", "[1,2]"],
    ["{ \"a\" : 1 , \"b\" : [ ] }", "{\"a\":1,\"b\":[]}"],
    ["{}", "{}"],
    ["[]", "[]"],
    ["[}", "none"],
    ["{]", "none"],
    ["[1", "none"],
    ["[1,", "none"],
    ["{\"a\"", "none"],
    ["{\"a\":", "none"],
    ["{\"a\":1", "none"],
    ["{\"a\" 1}", "none"],
    ["{,}", "none"],
    ["{1:2}", "none"],
    ["{\"a\":1 \"b\":2}", "none"],
    ["[1]]", "none"],
    ["true", "true"],
    ["false", "false"],
    ["null", "null"],
    ["True", "none"],
    ["fals", "none"],
    ["nul", "none"],
    ["tru e", "none"],
    ["\"\"", "\"\""],
    ["\"a", "none"],
    ["\"a\\\"", "none"],
    ["\"\\\\\"", "\"\\\\\""],
    ["\"\\\"\"", "\"\\\"\""],
    ["\"\\\\\\\"\"", "\"\\\\\\\"\""],
    ["\"a\\\\\",1", "none"],
    ["[\"a\\\\\",\"b\\\"c\",\"d\"]", "[\"a\\\\\",\"b\\\"c\",\"d\"]"],
    ["\"\\u0041\"", "\"A\""],
    ["\"\\ud83d\\ude00\"", "\"😀\""],
    ["\"\\udc00\"", "none"],
    ["\"\\q\"", "none"],
    ["\"\t\"", "none"],
    ["\" !#[]~\"", "\" !#[]~\""],
    ["0", "0"],
    ["-0", "-0"],
    ["9", "9"],
    ["-", "none"],
    ["--1", "none"],
    ["1e5", "1e5"],
    ["1E-5", "1E-5"],
    ["1e+5", "1e+5"],
    ["1.5e", "none"],
    ["1/2", "none"],
    ["1:2", "none"],
    ["00", "none"],
    ["-01", "none"]
  ])("%j: %s", (text, read) => assert.strictEqual(again(text), read))

  it("have numbers of a thousand characters at most", () => {
    assert.strictEqual(again("1".repeat(1_000)), "1".repeat(1_000))
    assert.strictEqual(again("1".repeat(1_001)), "none")
    assert.strictEqual(again(`[1,${"1".repeat(1_000)}]`).length, 1_004)
  })

  it("have as many values as are wanted, keys of members aside", () => {
    assert.strictEqual(again("1", 0), "none")
    assert.strictEqual(again("1", 1), "1")
    assert.strictEqual(again("{\"a\":1,\"b\":2}", 3), "{\"a\":1,\"b\":2}")
    assert.strictEqual(again("{\"a\":1,\"b\":2}", 2), "none")
  })

  it("nest 512 deep, beside one another as often as they like", () => {
    const deep = `${"[".repeat(511)}${"]".repeat(511)}`
    assert.strictEqual(again(`[${deep},${deep}]`).length, 2 * 1_022 + 3)
    assert.strictEqual(again(`[[${deep}]]`), "none")
    const members = `${"{\"a\":".repeat(512)}1${"}".repeat(512)}`
    assert.strictEqual(again(members), members)
    assert.strictEqual(again(`[${members}]`), "none")
  })
})

describe("values that are written", () => {
  it("have a place for each kind", () => {
    const value = [
      null,
      true,
      false,
      "a\u007f\"",
      1.5,
      12n,
      new JsonNumber("1.50"),
      new JsonBytes(Uint8Array.of(0, 255).subarray(1)),
      new JsonMembers(["a", "a"], [new JsonNumber("1"), []]),
      { a: undefined, b: {}, c: [] },
      { a: undefined }
    ]
    assert.strictEqual(
      writeJson(value),
      "[null,true,false,\"a\\u007f\\\"\",1.5,12,1.50,\"ff\",{\"a\":1,\"a\":[]},{\"b\":{},\"c\":[]},{}]"
    )
  })

  it("have kinds under the names of messages", () => {
    const kinds: ReadonlyArray<readonly [JsonRead, JsonKind]> = [
      [null, "null"],
      [false, "bool"],
      ["", "string"],
      [new JsonNumber("1"), "number"],
      [[], "array"],
      [new JsonMembers([], []), "object"]
    ]
    for (const [value, kind] of kinds) assert.strictEqual(jsonKind(value), kind)
  })

  it.each<readonly [value: number, text: string]>([
    [2 ** 53 - 1, "9007199254740991"],
    [2 ** 53, "9007199254740992"],
    [9_999_999_999_999_998, "9999999999999998"],
    [1.25e16, "1.25e+16"],
    [123_456_789.123_456_78, "123456789.1234568"],
    [0.000_123_4, "0.0001234"],
    [0.000_099_9, "9.99e-05"],
    [-1.5e-10, "-1.5e-10"],
    [1e-100, "1e-100"],
    [1e100, "1e+100"],
    [100.5, "100.5"],
    [Infinity, "null"],
    [-Infinity, "null"]
  ])("%d is %s", (value, text) => assert.strictEqual(doubleText(value), text))

  it("of very many bytes are put together without a long string, from any number of parts", () => {
    for (const length of [0, 1, 16_383, 16_384, 16_385, 40_000]) {
      const bytes = Buffer.alloc(length, 0xa5)
      const text = new LongText("é<", bytes, ">ü")
      assert.strictEqual(text.length, 4 + 2 * length)
      assert.strictEqual(text.toString(), `é<${"a5".repeat(length)}>ü`)
      assert.strictEqual(Buffer.from(text.bytes("\n")).toString(), `é<${"a5".repeat(length)}>ü\n`)
    }
  })
})

const read = <A>(parameter: P.Parameter<A>, value: JsonRead, isGiven = true): unknown => {
  const result = parameter.read(value, "name", isGiven)
  return Result.isSuccess(result) ? result.success : shown(result.failure)
}

const number = (text: string): JsonNumber => new JsonNumber(text)
const OUT = "-1 JSON integer out of range"
const d = { description: "d" }

describe("parameters", () => {
  it.each<readonly [what: string, parameter: P.Parameter<unknown>, least: bigint, most: bigint]>([
    ["integer", P.integer(d), -(2n ** 31n), 2n ** 31n - 1n],
    ["unsigned", P.unsigned(d), 0n, 2n ** 32n - 1n],
    ["longInteger", P.longInteger(d), -(2n ** 53n - 1n), 2n ** 53n - 1n],
    ["int64", P.int64(d), -(2n ** 63n), 2n ** 63n - 1n]
  ])("%s is a whole number within its bounds", (_, parameter, least, most) => {
    for (const fits of [least, most, 0n, 1n]) {
      assert.strictEqual(String(read(parameter, number(String(fits)))), String(fits))
    }
    for (const beyond of [least - 1n, most + 1n]) assert.strictEqual(read(parameter, number(String(beyond))), OUT)
    for (const text of ["1.0", "1e2", "0.5", "-1.5"]) assert.strictEqual(read(parameter, number(text)), OUT, text)
    assert.strictEqual(String(read(parameter, number("-0"))), "0")
    assert.strictEqual(read(parameter, "1"), "-3 JSON value of type string is not of expected type number")
    assert.strictEqual(parameter.kind, "number")
  })

  it("of each kind take no other", () => {
    const hex = `${"00".repeat(31)}aB`
    assert.deepStrictEqual(read(P.hash(d), hex), Uint8Array.of(0xab, ...new Uint8Array(31)))
    const of64 = "é".repeat(32)
    assert.strictEqual(read(P.hash(d), of64), `-8 name must be hexadecimal string (not '${of64}')`)
    assert.strictEqual(read(P.hash({ ...d, called: "it" }), "é"), "-8 it must be of length 64 (not 2, for 'é')")
    assert.strictEqual(read(P.hash(d), `${hex}0`), `-8 name must be of length 64 (not 65, for '${hex}0')`)
    assert.strictEqual(read(P.hash(d), true), "-3 JSON value of type bool is not of expected type string")
    assert.strictEqual(read(P.double(d), number("-1.5e3")), -1_500)
    assert.strictEqual(read(P.boolean(d), number("1")), "-3 JSON value of type number is not of expected type bool")
    assert.strictEqual(read(P.boolean(d), false), false)
    assert.strictEqual(read(P.text(d), ""), "")
    assert.strictEqual(read(P.array(d, Schema.Any), null), "-3 JSON value of type null is not of expected type array")
    assert.strictEqual(read(P.members(d, Schema.Any), []), "-3 JSON value of type array is not of expected type object")
    const kinds = [P.hash(d), P.double(d), P.boolean(d), P.text(d), P.array(d, Schema.Any), P.members(d, Schema.Any)]
    assert.deepStrictEqual(kinds.map(({ kind }) => kind), ["string", "number", "bool", "string", "array", "object"])
    assert.deepStrictEqual([P.verbosity(d).kind, P.anything(d, Schema.Any).kind], [undefined, undefined])
  })

  it("of verbosity are numbers, or the booleans of old unless those are not taken", () => {
    const values = [number("2"), true, false]
    assert.deepStrictEqual(values.map((each) => read(P.verbosity(d), each)), [2, 1, 0])
    assert.strictEqual(
      read(P.verbosity({ ...d, onlyNumbers: true }), true),
      "-3 Verbosity was boolean but only integer allowed"
    )
    assert.strictEqual(read(P.verbosity({ ...d, onlyNumbers: true }), number("2")), 2)
  })

  it("that may be left out have a value that stands for them, or none", () => {
    const standing = P.optionalWith(P.integer(d), 7)
    assert.deepStrictEqual([read(standing, null), read(standing, number("8"))], [7, 8])
    assert.deepStrictEqual([standing.standard, standing.required, standing.isHidden], ["7", false, false])
    assert.strictEqual(P.optionalWith(P.integer(d), 7, "seven").standard, "seven")
    const left = P.optional(P.integer(d))
    assert.deepStrictEqual([read(left, null), read(left, number("8")), left.required], [undefined, 8, false])
    const given = P.whereGiven(P.anything(d, Schema.Any))
    assert.deepStrictEqual([read(given, null, false), read(given, null, true), given.required], [
      undefined,
      null,
      false
    ])
    const needed = P.integer(d)
    assert.deepStrictEqual(
      [needed.required, needed.isHidden, needed.takesAnyText, needed.aliases, needed.members, needed.standard],
      [true, false, false, [], [], undefined]
    )
    assert.isTrue(P.hidden(needed).isHidden)
    assert.deepStrictEqual(P.withNamed(needed, ["a"]).members, ["a"])
    assert.isTrue(P.text({ ...d, takesAnyText: true }).takesAnyText)
  })
})

describe("errors", () => {
  it("of RPC have the codes that other software expects", () => {
    const errors: ReadonlyArray<readonly [CallError | RpcError, number]> = [
      [invalidParameter("m"), -8],
      [wrongKind("m"), -3],
      [callError("Misc", "m"), -1],
      [{ code: 7, message: "m" }, 7]
    ]
    for (const [error, code] of errors) assert.deepStrictEqual(rpcErrorOf(error), { code, message: "m" })
    assert.deepStrictEqual(JsonRpcCode, { parse: -32_700, invalidRequest: -32_600, outOfMemory: -7 })
  })
})

describe("amounts", () => {
  it.each<readonly [text: string, satoshis: string]>([
    ["0", "0"],
    ["0e9", "0"],
    ["0e10", "-3 Invalid amount"],
    ["0.00000001", "1"],
    ["0.000000001", "-3 Invalid amount"],
    ["0.0000000010", "-3 Invalid amount"],
    ["0.00000001000000000", "1"],
    ["21000000", "2100000000000000"],
    ["21000000.00000001", "-3 Amount out of range"],
    ["1e7", "1000000000000000"],
    ["1e-8", "1"],
    ["1e-9", "-3 Invalid amount"],
    ["1E+1", "1000000000"],
    ["9999999999.99999999", "-3 Amount out of range"],
    ["10000000000", "-3 Invalid amount"],
    ["1e10", "-3 Invalid amount"],
    ["-0.00000001", "-3 Amount out of range"],
    ["-0", "0"],
    ["01", "-3 Invalid amount"],
    [".5", "-3 Invalid amount"],
    ["1.", "-3 Invalid amount"],
    ["+1", "-3 Invalid amount"],
    ["", "-3 Invalid amount"],
    ["1 ", "-3 Invalid amount"]
  ])("%j: %s", (text, satoshis) => {
    for (const value of [text, new JsonNumber(text)]) {
      const result = satoshisOf(value)
      const found = Result.isSuccess(result)
        ? String(result.success)
        : shown(result.failure)
      assert.strictEqual(found, satoshis)
    }
  })

  it("are numbers or texts", () => {
    for (const value of [null, true, [], new JsonMembers([], [])]) {
      assert.deepStrictEqual(satoshisOf(value), Result.fail(callError("WrongType", "Amount is not a number or string")))
    }
  })
})
