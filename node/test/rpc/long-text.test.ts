import { assert, describe, it } from "@effect/vitest"
import { resultReply } from "../../src/rpc/dispatch/json-rpc-reply.ts"
import { JsonBytes } from "../../src/json/json-value.ts"
import { LongText } from "../../src/json/long-text.ts"
import { writeJson } from "../../src/json/write-json.ts"

const textOf = (text: string | LongText): string =>
  text instanceof LongText ? Buffer.from(text.bytes("\n")).toString() : `${text}\n`

describe("answers of very many bytes", () => {
  it("are what they would be in one piece, at any length", () => {
    for (const length of [0, 1, 16_383, 16_384, 16_385, 100_000]) {
      const bytes = Buffer.from(Array.from({ length }, (_, i) => i * 7 & 0xff))
      const digits = bytes.toString("hex")
      for (const version of ["1", "2.0"] as const) {
        for (const id of [undefined, null, "ö\u2028\"", "𝄞"]) {
          const long = resultReply({ version, id }, new JsonBytes(bytes))
          assert.instanceOf(long, LongText)
          assert.strictEqual(textOf(long), textOf(resultReply({ version, id }, digits)))
          assert.strictEqual(String(long), resultReply({ version, id }, digits))
          assert.strictEqual(long.length, String(long).length)
        }
      }
      assert.strictEqual(writeJson(new JsonBytes(bytes)), `"${digits}"`)
    }
  })

  it("are of a part of a buffer, where they are given one", () => {
    const whole = Buffer.from("00112233", "hex")
    assert.strictEqual(String(new JsonBytes(new Uint8Array(whole.buffer, whole.byteOffset + 1, 2))), "1122")
  })
})
