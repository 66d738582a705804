import { assert, describe, it } from "vitest"
import { csvRows } from "../src/formats/csv.ts"
import { Field } from "../src/formats/field.ts"
import { jsonFault } from "../src/formats/json-fault.ts"
import { MalformedVector } from "../src/formats/malformed.ts"

describe("where a text stops being JSON", () => {
  it.each([
    ["[1, 2", "line 1 column 6"],
    ["[1,\n 2,, 3]", "line 2 column 4"],
    ["{\"a\": 1,\n\n \"b\" 2}", "line 3 column 6"],
    ["[\"a\\x\"]", "line 1 column 2"],
    ["[01]", "line 1 column 3"],
    ["{\"a\": tru}", "line 1 column 7"],
    ["[1] x", "line 1 column 5"],
    ["", "line 1 column 1"]
  ])("%s", (text, place) => {
    assert.throws(() => JSON.parse(text))
    assert.strictEqual(jsonFault(text), place)
  })
})

describe("comma-separated rows", () => {
  it("keeps empty fields and commas inside quotes, and drops the header", () => {
    assert.deepStrictEqual(csvRows("a,b,c\r\n1,,\"x, y\"\r\n,2,\r\n"), [["1", "", "x, y"], ["", "2", ""]])
  })
})

describe("a field", () => {
  const field = new Field(
    [{ tx: "00ff", n: 3, amount: 1.5, none: null, long: [{ repeat: "ab", times: 3 }, "cd"] }],
    "f.json",
    ""
  )

  it("reads what it is asked for", () => {
    const row = field.at(0)
    assert.deepStrictEqual([...row.get("tx").bytes], [0, 255])
    assert.strictEqual(row.get("n").bigint, 3n)
    assert.strictEqual(row.find("none"), undefined)
    assert.deepStrictEqual([...row.get("long").bytes], [0xab, 0xab, 0xab, 0xcd])
  })

  it.each([
    ["a missing member", () => field.at(0).get("txid"), "f.json, [0]: expected a member \"txid\""],
    ["a wrong type", () => field.at(0).get("n").text, "f.json, [0].n: expected a string, found 3"],
    ["a fraction", () => field.at(0).get("amount").integer, "f.json, [0].amount: expected an integer, found 1.5"],
    ["no hex", () => new Field("0g", "f.json", "[7]").bytes, "f.json, [7]: expected hexadecimal bytes, found \"0g\""],
    [
      "no opcode",
      () => new Field("DUPP", "f.json", "[7]").script,
      "f.json, [7]: \"DUPP\" is no opcode, number, 0x… bytes or '…' text"
    ],
    ["a missing element", () => field.at(1), "f.json: expected an element 1, found 1 elements"]
  ])("names the place of %s", (_, read, message) => {
    assert.throws(read, MalformedVector, message)
  })
})
