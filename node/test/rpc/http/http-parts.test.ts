import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { coreRefusal } from "../../../src/http/core-refusals.ts"
import { endBroken, hasLongHead, MAX_HEAD_BYTES } from "../../../src/http/broken-requests.ts"
import * as Answers from "../../../src/http/http-answer.ts"
import { lineEnds } from "../../../src/http/line-ends.ts"
import { mostConnections, mostFiles } from "../../../src/http/most-connections.ts"
import { receiveBody, type Received } from "../../../src/http/read-request.ts"
import { rateLimits } from "../../../src/http/limits/rate-limits.ts"
import { recentCounts } from "../../../src/http/limits/recent-counts.ts"
import { tokenBuckets } from "../../../src/http/limits/token-buckets.ts"
import { NO_RATE_LIMITS } from "../test-server.ts"

const JSON_TYPE = { "Content-Type": "application/json" }
const TEXT_TYPE = { "Content-Type": "text/html; charset=ISO-8859-1" }
const refusal = (status: number, message: string, headers: object = {}) => ({
  status,
  body: `{"error":{"code":${status},"message":"${message}"}}\n`,
  headers: { ...JSON_TYPE, ...headers }
})

describe("answers of HTTP", () => {
  it("have the status, the words and the headers that clients look at", () => {
    const { BAD_REQUEST, NOT_ALLOWED, NOT_FOUND, OVERLOADED, STOPPING, UNAUTHORIZED } = Answers
    assert.deepStrictEqual(UNAUTHORIZED, {
      status: 401,
      body: "",
      headers: { "WWW-Authenticate": "Basic realm=\"jsonrpc\"", ...TEXT_TYPE }
    })
    assert.deepStrictEqual(BAD_REQUEST, { status: 400, body: "", headers: TEXT_TYPE })
    assert.deepStrictEqual(NOT_FOUND, { status: 404, body: "", headers: TEXT_TYPE })
    assert.deepStrictEqual(OVERLOADED, refusal(503, "Work queue depth exceeded", { "Retry-After": "1" }))
    assert.deepStrictEqual(STOPPING, refusal(503, "The node is stopping"))
    assert.strictEqual(NOT_ALLOWED.status, 403)
    assert.match(String(NOT_ALLOWED.body), /This address is not allowed to call: see .*allow_?ip/)
    for (const [seconds, wait] of [[0, "1"], [0.2, "1"], [1, "1"], [1.1, "2"], [60, "60"]] as const) {
      assert.deepStrictEqual(Answers.tooMany(seconds), refusal(429, "Too many requests", { "Retry-After": wait }))
    }
    assert.deepStrictEqual(Answers.tooLarge(7), refusal(413, "A request has at most 7 bytes"))
    assert.deepStrictEqual(Answers.needsAdmin("m"), refusal(403, "Method 'm' requires admin privileges"))
    assert.deepStrictEqual(Answers.notWhitelisted("m", "u"), refusal(403, "Method 'm' is not on the whitelist of u"))
    const words = "JSONRPC server handles only POST requests"
    const bodies = ["GET", "HEAD", "PUT", "DELETE", undefined].map((method) => Answers.onlyPost(method))
    assert.deepStrictEqual(bodies.map(({ body, status }) => [status, body]), [
      [405, words],
      [405, words],
      [405, words],
      [405, ""],
      [405, ""]
    ])
    assert.deepStrictEqual(Answers.jsonAnswer(200, undefined), { status: 200, body: undefined, headers: {} })
    assert.deepStrictEqual(Answers.jsonAnswer(200, "").headers, JSON_TYPE)
  })

  it("are those of Bitcoin Core where the node stands in for it", () => {
    const text = (status: number, body: string) => ({ status, body, headers: TEXT_TYPE })
    assert.deepStrictEqual(coreRefusal(Answers.OVERLOADED), text(503, "Work queue depth exceeded"))
    assert.deepStrictEqual(coreRefusal(Answers.STOPPING), text(503, "Request rejected during server shutdown"))
    assert.deepStrictEqual(coreRefusal(Answers.needsAdmin("m")), text(403, ""))
    assert.deepStrictEqual(coreRefusal(Answers.tooLarge(1)), text(413, ""))
    for (const same of [Answers.UNAUTHORIZED, Answers.tooMany(1), Answers.NOT_FOUND]) {
      assert.strictEqual(coreRefusal(same), same)
    }
  })

  it("are sent once, with the length of their bytes, and end their connection where nothing more is wanted", () => {
    const sent = (body: string | Uint8Array | undefined, close?: boolean, state: object = {}) => {
      const done: Array<unknown> = []
      const response = {
        destroyed: false,
        headersSent: false,
        writeHead: (...head: ReadonlyArray<unknown>) => void done.push(...head),
        end: (bytes: unknown) => void done.push(bytes),
        ...state
      }
      Answers.sendAnswer(response as unknown as ServerResponse, { status: 201, body, headers: { A: "b" } }, close)
      return done
    }
    const head = (length: string, ...more: ReadonlyArray<string>) => ["A", "b", "Content-Length", length, ...more]
    assert.deepStrictEqual(sent("é"), [201, head("2"), "é"])
    assert.deepStrictEqual(sent(Uint8Array.of(1)), [201, head("1"), Uint8Array.of(1)])
    assert.deepStrictEqual(sent(undefined), [201, ["A", "b"], undefined])
    assert.deepStrictEqual(sent("", true), [201, head("0", "Connection", "close"), ""])
    const long = "é".repeat(16_384)
    assert.deepStrictEqual(sent(long), [201, head("32768"), Buffer.from(long)])
    assert.strictEqual(sent("é".repeat(16_383))[2], "é".repeat(16_383))
    assert.deepStrictEqual(sent("a", false, { destroyed: true }), [])
    assert.deepStrictEqual(sent("a", false, { headersSent: true }), [])
  })
})

describe("a body that comes", () => {
  const receiving = (headers: object, limit: number, hold: (bytes: number) => boolean = () => true) => {
    const request = Object.assign(new EventEmitter(), { headers })
    const continued: Array<true> = []
    const response = Object.assign(new EventEmitter(), { writeContinue: () => void continued.push(true) })
    const done: Array<Received> = []
    receiveBody(
      request as IncomingMessage,
      response as ServerResponse,
      limit,
      hold,
      (received) => void done.push(received)
    )
    return {
      continued,
      done,
      came: (...chunks: ReadonlyArray<string>) => chunks.map((chunk) => request.emit("data", Buffer.from(chunk))),
      ended: () => request.emit("end"),
      left: () => response.emit("close")
    }
  }

  it("is whole once it has ended, in one piece, and that is said once", () => {
    for (const chunks of [[], ["a"], ["a", "bc"]]) {
      const { came, done, ended, left } = receiving({}, 3)
      came(...chunks)
      assert.lengthOf(done, 0)
      ended()
      ended()
      left()
      assert.strictEqual(done.length, 1)
      assert.strictEqual(done[0]!._tag === "Body" && Buffer.from(done[0]!.bytes).toString(), chunks.join(""))
    }
  })

  it("is too large where it is declared to be, before anything is asked for, or turns out to be", () => {
    const { continued, done } = receiving({ "content-length": "4", expect: "100-continue" }, 3)
    assert.deepStrictEqual([done, continued], [[{ _tag: "TooLarge" }], []])
    assert.deepStrictEqual(receiving({ "content-length": "3", expect: "100-continue" }, 3).continued, [true])
    assert.deepStrictEqual(receiving({ "content-length": "3" }, 3).continued, [])
    const held: Array<number> = []
    const later = receiving({}, 3, (bytes) => held.push(bytes) > 0)
    later.came("ab", "c")
    assert.lengthOf(later.done, 0)
    later.came("d", "e")
    later.ended()
    assert.deepStrictEqual([later.done, held], [[{ _tag: "TooLarge" }], [2, 1]])
  })

  it("has no room, or a client that has gone", () => {
    const full = receiving({}, 9, (bytes) => bytes < 2)
    full.came("a", "bc", "d")
    assert.deepStrictEqual(full.done, [{ _tag: "NoRoom" }])
    const gone = receiving({}, 9)
    gone.came("a")
    gone.left()
    gone.ended()
    assert.deepStrictEqual(gone.done, [{ _tag: "Gone" }])
  })
})

describe("what is no request", () => {
  it("is a head of more bytes than are taken, counted with what stands between its parts", () => {
    const head = (bytes: number) => {
      const [method, url, name] = ["GET", "/", "X"]
      const rest = `${method} ${url} HTTP/1.1\r\n${name}: \r\n\r\n`.length
      return { method, url, rawHeaders: [name, "a".repeat(bytes - rest)] } as unknown as IncomingMessage
    }
    assert.strictEqual(MAX_HEAD_BYTES, 8_192)
    assert.deepStrictEqual([hasLongHead(head(8_192)), hasLongHead(head(8_193))], [false, true])
    const small = { rawHeaders: Array.from({ length: 2 * 1_633 }, () => "") } as unknown as IncomingMessage
    assert.isFalse(hasLongHead(small))
  })

  it("is refused where no answer has begun on its connection, and ends it in any case", () => {
    const ended = (code: string, last: object | undefined, writable = true) => {
      const done: Array<string> = []
      const socket = {
        writable,
        write: (text: string) => void done.push(text),
        destroy: () => void done.push("destroyed")
      }
      endBroken({ code } as never, socket as never, last as ServerResponse | undefined)
      return done
    }
    const refused = ["HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "destroyed"]
    assert.deepStrictEqual(ended("HPE_X", undefined), refused)
    assert.deepStrictEqual(ended("HPE_X", { writableFinished: true, headersSent: true }), refused)
    assert.deepStrictEqual(ended("HPE_X", { writableFinished: false, headersSent: false }), refused)
    assert.deepStrictEqual(ended("HPE_X", { writableFinished: false, headersSent: true }), ["destroyed"])
    assert.deepStrictEqual(ended("HPE_X", undefined, false), ["destroyed"])
    assert.deepStrictEqual(ended("ERR_HTTP_REQUEST_TIMEOUT", undefined), ["destroyed"])
  })
})

describe("lines that end in a line feed alone", () => {
  const post = (length: number, body: string): string => `POST / HTTP/1.1\nContent-Length: ${length}\n\n${body}`
  const right = (length: number, body: string): string => `POST / HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n${body}`
  const chunked = "transfer-encoding:\tchunked "
  const CASES: ReadonlyArray<readonly [what: string, text: string, changed: string]> = [
    ["one request", post(3, "a\nb"), right(3, "a\nb")],
    ["two of them", post(3, "a\nb") + post(0, ""), right(3, "a\nb") + right(0, "")],
    ["one without a length", "GET / HTTP/1.1\n\nGET / HTTP/1.1\n\n", "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n"],
    ["empty lines before it", `\n\n${post(1, "\n")}`, `\r\n\r\n${right(1, "\n")}`],
    ["both kinds of ends", "GET / HTTP/1.1\r\nA: b\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n\r\n"],
    [
      "chunks and trailers",
      `POST / HTTP/1.1\n${chunked}\n\n3;x=y\na\nb\nA \n0123456\n89\n0\nT: u\n\n${post(1, "\n")}`,
      `POST / HTTP/1.1\r\n${chunked}\r\n\r\n3;x=y\r\na\nb\r\nA \r\n0123456\n89\r\n0\r\nT: u\r\n\r\n${right(1, "\n")}`
    ],
    [
      "a length and chunks, of which the chunks count",
      `POST / HTTP/1.1\nContent-Length: 99\n${chunked}\n\n1\n\n\n0\n\nGET / HTTP/1.1\n\n`,
      `POST / HTTP/1.1\r\nContent-Length: 99\r\n${chunked}\r\n\r\n1\r\n\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`
    ],
    ["no size of a chunk", `A\n${chunked}\n\nxyz\na\nb`, `A\r\n${chunked}\r\n\r\nxyz\r\na\nb`],
    ["a length that is none", "A\nContent-Length: x\n\nb\n", "A\r\nContent-Length: x\r\n\r\nb\r\n"]
  ]

  it.each(CASES)("get their ends, whatever pieces they come in, and bodies stay: %s", (_, text, changed) => {
    for (const size of [1, 2, 3, 7, text.length]) {
      const change = lineEnds()
      let got = ""
      for (let at = 0; at < text.length; at += size) got += change(Buffer.from(text.slice(at, at + size))).toString()
      assert.strictEqual(got, changed, `in pieces of ${size}`)
    }
  })

  it("are kept back until they end, up to the bytes of a head", () => {
    const change = lineEnds()
    assert.strictEqual(change(Buffer.alloc(8_192, 0x61)).length, 0)
    assert.strictEqual(change(Buffer.from("b")).length, 8_193)
    assert.strictEqual(change(Buffer.from("c\nd")).toString(), "c\nd", "it is no request, so that the parser judges it")
  })
})

describe("connections and callers", () => {
  it("have room for as many as leave files to the node, from 16 to 4,096", () => {
    assert.deepStrictEqual(
      [0, 288, 289, 290, 1_024, 8_448, 8_450, Infinity].map(mostConnections),
      [16, 16, 16, 17, 384, 4_096, 4_096, 4_096]
    )
    assert.isAbove(mostFiles(), 100)
  })

  it("are counted within a window for ten thousand keys, the first of which are forgotten", () => {
    const counts = recentCounts(1_000, 2)
    counts.add("a", 0)
    counts.add("b", 10)
    counts.add("a", 20)
    counts.add("c", 30)
    assert.deepStrictEqual(["a", "b", "c"].map((key) => counts.count(key, 40)), [0, 1, 1])
    counts.forget("b")
    assert.strictEqual(counts.count("b", 40), 0)
    assert.deepStrictEqual([counts.secondsLeft("c", 530), counts.secondsLeft("c", 1_030), counts.secondsLeft("x", 0)], [
      0.5,
      0,
      0
    ])
    const many = recentCounts(1_000)
    for (let i = 0; i < 10_001; i++) many.add(String(i), 0)
    assert.deepStrictEqual(["0", "1", "10000"].map((key) => many.count(key, 0)), [0, 1, 1])
  })

  it("are forgotten where they took nothing for the longest time, and a clock that goes back gives nothing", () => {
    const { size, take } = tokenBuckets({ burst: 2, rate: 1 }, 2)
    assert.deepStrictEqual([take("a", 2, 0), take("b", 2, 0), take("a", 1, 0), take("c", 2, 0)], [0, 0, 1, 0])
    assert.deepStrictEqual([take("a", 1, 0), take("b", 2, 0)], [1, 0])
    assert.strictEqual(size(), 2)
    assert.strictEqual(take("b", 1, -5_000), 1)
    assert.strictEqual(take("b", 1, -4_500), 0.5)
    const many = tokenBuckets({ burst: 1, rate: 1 })
    for (let i = 0; i < 10_001; i++) many.take(String(i), 1, 0)
    assert.deepStrictEqual([many.size(), many.take("1", 1, 0)], [10_000, 1])
  })

  it("have no limit where burst or rate is 0, and failures count for an address of the other half as well", () => {
    const far = { address: "10.0.0.1", caller: "anonymous", authorization: undefined } as const
    for (const address of [{ burst: 0, rate: 5 }, { burst: 5, rate: 0 }]) {
      const { admit } = rateLimits({ ...NO_RATE_LIMITS, address }, true, () => 0)
      assert.deepStrictEqual(Array.from({ length: 9 }, () => admit(far)), Array.from({ length: 9 }, () => 0))
    }
    let now = 0
    const limits = rateLimits({ ...NO_RATE_LIMITS, failures: 1, blockSeconds: 60, connections: 1 }, true, () => now)
    limits.failed("2001:db8::1")
    assert.deepStrictEqual([limits.blocked("2001:db8::2"), limits.blocked("2001:db8:0:1::1")], [60, 0])
    assert.deepStrictEqual([limits.connect("10.0.0.1"), limits.connect("10.0.0.1"), limits.connect("127.0.0.1")], [
      true,
      false,
      true
    ])
    now = 59_999
    assert.deepStrictEqual([limits.blocked("2001:db8::1") > 0, limits.connect("10.0.0.1")], [true, false])
    now = 60_000
    assert.deepStrictEqual([limits.blocked("2001:db8::1"), limits.connect("10.0.0.1")], [0, true])
    const off = rateLimits(NO_RATE_LIMITS, true, () => 0)
    off.failed("10.0.0.1")
    assert.deepStrictEqual([off.blocked("10.0.0.1"), off.connect("10.0.0.1"), off.connect("10.0.0.1")], [0, true, true])
    assert.deepStrictEqual([off.charge(far, 0), off.charge(far, 99)], [0, 0])
  })
})
