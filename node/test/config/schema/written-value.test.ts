import { assert, describe, it } from "@effect/vitest"
import { withoutQuotes, writtenList, writtenTable, writtenValue } from "../../../src/config/schema/written-value.ts"
import { tomlValue } from "../../../src/config/show/toml-value.ts"

describe("a value as it is written in a file", () => {
  it.each<readonly [text: string, value: unknown]>([
    ["1", 1],
    ["true", true],
    ["\"a\\n\"", "a\n"],
    ["'a\\n'", "a\\n"],
    ["[1, \"a\"]", [1, "a"]],
    ["[1, 2,]", [1, 2]],
    ["{\"a\": 1}", { a: 1 }],
    ["{ a = 1 }", { a: 1 }],
    ["a", undefined],
    ["", undefined],
    ["1\nother = 2", undefined],
    ["\"a", undefined]
  ])("%j is %j, as JSON or TOML has it", (text, value) => {
    assert.deepStrictEqual(writtenValue(text), value)
  })

  it("is a list or a table only between its brackets", () => {
    assert.deepStrictEqual(writtenList("[]"), [])
    assert.deepStrictEqual(writtenList("['a', 1]"), ["a", 1])
    for (const text of ["[", "]", "[::1]:8333", "[::1]", "a", "\"[]\"", ""]) assert.isUndefined(writtenList(text), text)
    assert.deepStrictEqual(writtenTable("{}"), {})
    assert.deepStrictEqual(writtenTable("{ a = [1] }"), { a: [1] })
    for (const text of ["{", "}", "{a}", "[]", ""]) assert.isUndefined(writtenTable(text), text)
  })

  it.each([
    ["\"a b\"", "a b"],
    ["'a'", "a"],
    ["\"\"", ""],
    ["''", ""],
    ["\"", "\""],
    ["'", "'"],
    ["a", "a"],
    ["\"a", "\"a"],
    ["\"a'", "\"a'"],
    ["\"a\"b\"", "\"a\"b\""]
  ])("%s without its quotes is %s", (text, value) => {
    assert.strictEqual(withoutQuotes(text), value)
  })

  it.each<readonly [value: unknown, text: string]>([
    ["a\"\\\n", "\"a\\\"\\\\\\n\""],
    ["\u007F\u2028", "\"\\u007F\\u2028\""],
    ["\uD800", "\"\uFFFD\""],
    [5, "5"],
    [0.5, "0.5"],
    [2 ** 53, "9007199254740992.0"],
    [2 ** 53 - 1, "9007199254740991"],
    [1e21, "1e+21"],
    [NaN, "nan"],
    [Infinity, "inf"],
    [-Infinity, "-inf"],
    [true, "true"],
    [[], "[]"],
    [[1, ["a"]], "[1, [\"a\"]]"],
    [{}, "{}"],
    [{ "a-b_1": 1, "c d": { e: "f" } }, "{ a-b_1 = 1, \"c d\" = { e = \"f\" } }"]
  ])("%j is shown as %s on one line", (value, text) => {
    assert.strictEqual(tomlValue(value), text)
  })
})
