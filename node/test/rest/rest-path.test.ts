import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hashIn, inFormat, onlyJson } from "../../src/core-rest/rest-content.ts"
import { restPath, wholeNumber } from "../../src/core-rest/rest-path.ts"

describe("a path of Bitcoin Core's REST", () => {
  it.each<readonly [path: string, param: string, format: string | undefined]>([
    ["a.json", "a", "json"],
    ["a.bin", "a", "bin"],
    ["a.hex", "a", "hex"],
    ["a.b.hex", "a.b", "hex"],
    ["a", "a", undefined],
    ["json", "json", undefined],
    ["", "", undefined],
    ["a.", "a", undefined],
    ["a.xml", "a.xml", undefined],
    ["a.JSON", "a.JSON", undefined],
    [".json", "", "json"],
    ["a/b.json?count=5", "a/b", "json"],
    ["a?x=1.json", "a", undefined],
    ["a.json?x?y=1", "a.json?x", undefined]
  ])("%j names %j in the form %s", (text, param, format) => {
    const found = restPath(text)
    assert.deepStrictEqual([found.param, found.format], [param, format])
  })

  it("has the first value of each parameter, decoded where it can be", () => {
    const { query } = restPath("a.json?count=5&x=%C3%A4&y=%zz&count=6&bare&empty=&e=a=b")
    assert.deepStrictEqual(["count", "x", "y", "bare", "empty", "e", "none"].map(query), [
      "5",
      "ä",
      "%zz",
      undefined,
      "",
      "a=b",
      undefined
    ])
    assert.isUndefined(restPath("a.json").query("count"))
  })

  it("has whole numbers of digits alone, up to the most", () => {
    for (const [text, value] of [["0", 0n], ["10", 10n], ["007", 7n], ["11", undefined]] as const) {
      assert.strictEqual(wholeNumber(text, 10n), value, text)
    }
    for (const text of ["", "-1", "+1", " 1", "1.0", "x", "1".repeat(21)]) {
      assert.isUndefined(wholeNumber(text, 10n ** 30n))
    }
    assert.strictEqual(wholeNumber("1".repeat(20), 10n ** 30n), BigInt("1".repeat(20)))
  })
})

/** The type and the text of content that a resource has, or its refusal. */
const answered = (answering: ReturnType<typeof inFormat>) =>
  Effect.runSync(Effect.match(answering, {
    onFailure: (error) => ("status" in error ? [error.status, error.message] : ["error", error.message]),
    onSuccess: ({ body, headers, status }) => [
      status,
      headers["Content-Type"],
      typeof body === "string" ? body : Buffer.from(body as Uint8Array).toString("latin1")
    ]
  }))

describe("the content of a resource of Bitcoin Core's REST", () => {
  const content = (length: number) => ({
    bytes: Effect.succeed(new Uint8Array(length).fill(0xab)),
    json: Effect.succeed({ a: 1 })
  })

  it("is JSON, bytes or digits by the ending of the path", () => {
    assert.deepStrictEqual(answered(inFormat("json", content(2))), [200, "application/json", "{\"a\":1}\n"])
    assert.deepStrictEqual(answered(inFormat("bin", content(2))), [200, "application/octet-stream", "\xab\xab"])
    assert.deepStrictEqual(answered(inFormat("hex", content(2))), [200, "text/plain", "abab\n"])
    assert.deepStrictEqual(answered(inFormat("hex", { ...content(2), hex: "0102" })), [200, "text/plain", "0102\n"])
    assert.deepStrictEqual(answered(inFormat(undefined, content(2))), [
      404,
      "output format not found (available: .bin, .hex, .json)"
    ])
    assert.deepStrictEqual(answered(onlyJson("json", Effect.succeed([1]))), [200, "application/json", "[1]\n"])
    for (const format of ["bin", "hex", undefined] as const) {
      assert.deepStrictEqual(answered(onlyJson(format, Effect.succeed([1]))), [
        404,
        "output format not found (available: json)"
      ])
    }
  })

  it("as digits is the same however long it is, also where it is a part of other bytes", () => {
    for (const length of [16_383, 16_384, 16_385]) {
      const bytes = new Uint8Array(length + 10).fill(0xcd).subarray(5, length + 5)
      bytes.fill(0xab)
      assert.deepStrictEqual(answered(inFormat("hex", { ...content(0), bytes: Effect.succeed(bytes) })), [
        200,
        "text/plain",
        `${"ab".repeat(length)}\n`
      ])
    }
  })

  it("has the hash that the path names, in the byte order of the wire", () => {
    const hash = Effect.runSync(hashIn(`${"00".repeat(31)}07`))
    assert.deepStrictEqual([hash[0], hash[31]], [7, 0])
    for (const text of ["", "00", "zz".repeat(32), "00".repeat(33)]) {
      assert.deepStrictEqual(Effect.runSync(Effect.flip(hashIn(text))), {
        _tag: "RestFault",
        status: 400,
        message: `Invalid hash: ${text}`
      })
    }
  })
})
