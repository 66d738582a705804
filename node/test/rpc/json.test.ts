import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { JsonMembers, JsonNumber, type JsonRead } from "../../src/json/json-value.ts"
import { amount, doubleText } from "../../src/json/number-text.ts"
import { readJson } from "../../src/json/read-json.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { patience } from "../process/patience.ts"

const plain = (value: JsonRead): unknown => {
  if (value instanceof JsonNumber) return Number(value.text)
  if (value instanceof JsonMembers) {
    return Object.fromEntries(value.keys.map((key, i) => [key, plain(value.values[i]!)]))
  }
  return Array.isArray(value) ? value.map(plain) : value
}

/**
 * Half a surrogate pair is text to JSON.parse and none to us; a member `__proto__` is lost on the way to a plain
 * object.
 */
const isComparable = (text: string): boolean =>
  !/[\ud800-\udfff]/u.test(text) && !/\\ud[89a-f]/i.test(text) && !text.includes("__proto__")

const accepted = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("reading JSON", () => {
  it("reads what JSON.parse reads, to the same values", () => {
    fc.assert(fc.property(fc.json({ maxDepth: 6 }), (text) => {
      fc.pre(isComparable(text))
      const value = readJson(text)
      assert.isDefined(value)
      assert.deepStrictEqual(plain(value!), JSON.parse(text))
    }))
  })

  it("takes and refuses the same damaged texts as JSON.parse", () => {
    const inserts = fc.constantFrom("", "\"", "\\", ",", "]", "}", "0", "-", " ", "\u0001", "e", "nul")
    const damage = fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(), inserts)
    fc.assert(
      fc.property(damage, ([text, place, inserted]) => {
        const at = place % (text.length + 1)
        const damaged = text.slice(0, at) + inserted + text.slice(at + (inserted === "" ? 1 : 0))
        fc.pre(isComparable(damaged))
        assert.strictEqual(readJson(damaged) !== undefined, accepted(damaged), damaged)
      }),
      { numRuns: 2_000 }
    )
  })

  it("keeps numbers as they stand", () => {
    for (const text of ["1.50", "9007199254740993", "-0", "1e400", "0.00000001"]) {
      assert.strictEqual(writeJson(readJson(text)!), text)
    }
  })

  it("refuses what is not exactly one value", () => {
    const numbers = ["01", "+1", "1.", ".5", "1e", "1 1"]
    const others = ["", " ", "nulll", "tru", "[1,]", "[,1]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "'a'", "[1 2]"]
    for (const text of [...numbers, ...others]) assert.isUndefined(readJson(text), text)
    for (
      const text of [
        "\"\\x\"",
        "\"\\u12\"",
        "\"a\nb\"",
        "\"abc",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\ufeff1",
        "\u00a01"
      ]
    ) {
      assert.isUndefined(readJson(text), text)
    }
  })

  it("nests 512 deep and no deeper", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)
    assert.isDefined(readJson(nested(512)))
    assert.isUndefined(readJson(nested(513)))
    assert.isUndefined(readJson("[".repeat(1_000_000)))
    assert.isUndefined(readJson("{\"a\":".repeat(100_000)))
  })

  it("reads no more values than are wanted", () => {
    const text = "[1,{\"a\":[null,\"x\"]},{}]"
    assert.isDefined(readJson(text, 7))
    assert.isUndefined(readJson(text, 6))
    assert.isUndefined(readJson(`[${"{},".repeat(10_000_000)}{}]`, 100_000))
  })

  it("is not slowed down by many escapes", () => {
    const escapes = "\\n".repeat(2_000_000)
    const started = performance.now()
    assert.strictEqual((readJson(`"${escapes}"`) as string).length, 2_000_000)
    assert.isUndefined(readJson(`"${escapes}`))
    assert.isUndefined(readJson("1".repeat(2_000_000)))
    assert.isBelow(performance.now() - started, patience(5_000))
  })

  it("keeps repeated members and finds the first", () => {
    const value = readJson("{\"a\":1,\"a\":2}") as JsonMembers
    assert.deepStrictEqual(value.keys, ["a", "a"])
    assert.strictEqual((value.get("a") as JsonNumber).text, "1")
    assert.isUndefined(value.get("__proto__"))
  })
})

describe("writing JSON", () => {
  it("is read again by JSON.parse as what was written", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      // The largest doubles of all are no doubles any more once they are rounded.
      fc.pre(isComparable(text) && !text.includes("e+308"))
      assert.deepStrictEqual(
        JSON.parse(writeJson(value as JsonRead)),
        JSON.parse(JSON.stringify(roundedNumbers(value)))
      )
    }))
  })

  it("leaves out members without a value and keeps the order of the others", () => {
    const value = { b: 1, a: undefined, c: [null, true, "x"], d: 12345678901234567890n }
    assert.strictEqual(writeJson(value), "{\"b\":1,\"c\":[null,true,\"x\"],\"d\":12345678901234567890}")
  })

  it("escapes as other software does", () => {
    const text = "\u0000\b\t\n\f\r\u001f\"\\/\u007fé☃"
    assert.strictEqual(writeJson(text), "\"\\u0000\\b\\t\\n\\f\\r\\u001f\\\"\\\\/\\u007fé☃\"")
  })

  const doubles: ReadonlyArray<readonly [number, string]> = [
    [4.656542373906925e-10, "4.656542373906925e-10"],
    [0.9994602374955021, "0.9994602374955021"],
    [0.1, "0.1"],
    [1 / 3, "0.3333333333333333"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e15, "1000000000000000"],
    [1e16, "1e+16"],
    [126_411_437_451_912.23, "126411437451912.2"],
    [1.5e300, "1.5e+300"],
    [-2.5, "-2.5"],
    [0, "0"],
    [NaN, "null"]
  ]
  for (const [value, text] of doubles) it(`${value} is ${text}`, () => assert.strictEqual(doubleText(value), text))

  it("gives amounts eight decimals", () => {
    assert.strictEqual(amount(0n).text, "0.00000000")
    assert.strictEqual(amount(1n).text, "0.00000001")
    assert.strictEqual(amount(-150_000_000n).text, "-1.50000000")
    assert.strictEqual(amount(2_099_999_997_690_000n).text, "20999999.97690000")
    assert.strictEqual(amount(-9_223_372_036_854_775_808n).text, "-92233720368.54775808")
  })
})

/** Sixteen digits are what is written of a double; some need seventeen. */
const roundedNumbers = (value: unknown): unknown => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : Number(value.toPrecision(16))
  if (Array.isArray(value)) return value.map(roundedNumbers)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, roundedNumbers(each)]))
}
