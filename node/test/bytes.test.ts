import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { bytesOfText, holdsBytes, textOfBytes } from "../src/bytes/byte-text.ts"

describe("text that carries bytes", () => {
  it("any bytes survive being text, and UTF-8 is the text it is", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      assert.deepStrictEqual(bytesOfText(textOfBytes(bytes)), Buffer.from(bytes))
    }))
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const bytes = Buffer.from(text)
      assert.strictEqual(textOfBytes(bytes), bytes.toString())
      assert.isFalse(holdsBytes(textOfBytes(bytes)))
    }))
  })

  it.each<readonly [what: string, bytes: string]>([
    ["Latin-1", "e4f6fcdf"],
    ["a sequence that breaks off", "61e282"],
    ["an overlong sequence", "c0af"],
    ["a surrogate", "eda080"],
    ["the surrogate that stands for a byte", "edb384"],
    ["beyond the last code point", "f4908080"],
    ["a lone continuation between letters", "618062"],
    ["UTF-8 beside a byte that is not", "c3a9ff"]
  ])("%s is told from everything else by its bytes", (_what, hex) => {
    const bytes = Buffer.from(hex, "hex")
    const text = textOfBytes(bytes)
    assert.isTrue(holdsBytes(text))
    assert.notInclude(text, "\ufffd")
    assert.strictEqual(bytesOfText(text).toString("hex"), hex)
  })

  it("a pair of surrogates is a character, not a byte", () => {
    assert.isFalse(holdsBytes("\u{1f511}"))
    assert.strictEqual(bytesOfText("\u{1f511}\udce4").toString("hex"), "f09f9491e4")
  })
})
