import { assert, describe, it } from "@effect/vitest"
import { replyDecoder } from "../../../src/p2p/tor/control-reply.ts"
import { quote, splitLine, valuesOf } from "../../../src/p2p/tor/control-text.ts"

const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"))

const feed = (text: string) => replyDecoder().feed(ascii(text))

describe("replies of Tor's control port", () => {
  const TEXT = "250-A\r\n250 B\r\n650 event\r\n250+data=\r\n..x\r\n250 y\r\n.\r\n250 OK\r\n515 no\r\n"
  const REPLIES = [
    { code: 250, lines: ["A", "B"] },
    { code: 250, lines: ["data=", ".x", "250 y", "OK"] },
    { code: 515, lines: ["no"] }
  ]

  it("are lines up to one with a space behind its code; events are left out, and data is unescaped", () => {
    assert.deepStrictEqual(feed(TEXT), { replies: REPLIES, fault: undefined })
  })

  it("are the same however they are cut", () => {
    for (const size of [1, 2, 3, 7]) {
      const decoder = replyDecoder()
      const replies = []
      for (let at = 0; at < TEXT.length; at += size) {
        replies.push(...decoder.feed(ascii(TEXT.slice(at, at + size))).replies)
      }
      assert.deepStrictEqual(replies, REPLIES)
      assert.strictEqual(decoder.held(), 0)
    }
  })

  it("end with a fault where a line has no code, is too long, or too many come, and nothing more is read", () => {
    const garbage = "what answers there does not speak Tor's control protocol"
    for (const line of ["hello", "25 x", "2500 x", "250", "250*x", "", "HTTP/1.1 400 Bad Request"]) {
      assert.deepStrictEqual(feed(`250 OK\r\n${line}\r\n250 OK\r\n`), {
        replies: [{ code: 250, lines: ["OK"] }],
        fault: garbage
      })
    }
    const decoder = replyDecoder()
    assert.isUndefined(decoder.feed(new Uint8Array(100_000).fill(65)).fault)
    assert.strictEqual(decoder.feed(ascii("A")).fault, "Tor's reply has a line that is too long")
    assert.strictEqual(decoder.held(), 0)
    assert.deepStrictEqual(decoder.feed(ascii("250 OK\r\n")).replies, [])
    assert.strictEqual(feed(`250 ${"x".repeat(100_000)}\r\n`).fault, "Tor's reply has a line that is too long")
    assert.isUndefined(feed("250-x\r\n".repeat(1_000)).fault)
    assert.strictEqual(feed("250-x\r\n".repeat(1_001)).fault, "Tor's reply has too many lines")
    assert.strictEqual(feed(`250+x\r\n${"y\r\n".repeat(1_001)}`).fault, "Tor's reply has too many lines")
  })
})

describe("a line of Tor's control port", () => {
  it("has a first word", () => {
    assert.deepStrictEqual(splitLine("AUTH METHODS=NULL A=B"), { word: "AUTH", rest: "METHODS=NULL A=B" })
    assert.deepStrictEqual(splitLine("OK"), { word: "OK", rest: "" })
  })

  it("has values, some of them between quotes", () => {
    const of = (text: string) => Object.fromEntries(valuesOf(text))
    assert.deepStrictEqual(of("A=B CD=\"e f\" G="), { A: "B", CD: "e f", G: "" })
    assert.deepStrictEqual(of(String.raw`A="\"\\\n\t\r\x\101\7\418" B=\n`), {
      A: "\"\\\n\t\rxA\x07!8",
      B: String.raw`\n`
    })
    for (const wrong of ["A", "A B=C", "=B", "A=\"b", "A=\"b\\", "A=\"b\"c", " A=B", "A=B  C=D"]) {
      assert.deepStrictEqual(of(wrong), {}, wrong)
    }
  })

  it("takes a text between quotes", () => assert.strictEqual(quote("a\"b\\c"), "\"a\\\"b\\\\c\""))
})
