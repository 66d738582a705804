import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { connect } from "node:net"
import type { HostPort } from "../../src/config/config.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { basic, exchange } from "./http-exchange.ts"
import { testServer } from "./test-server.ts"
import { patience } from "../process/patience.ts"

const admin = { authorization: basic("u:p") }
const COUNT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getblockcount\"}"
const TIPS = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getchaintips\"}"

/** Waits until something holds. */
const until = (holds: () => boolean | Promise<boolean>): Effect.Effect<void> =>
  Effect.promise(async () => {
    const end = performance.now() + patience(20_000)
    while (!await holds()) {
      assert.isBelow(performance.now(), end, "it never came true")
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })

/** Writes raw text and answers everything that comes back until the connection closes. */
const raw = ({ host, port }: HostPort, text: string, keepWriting = false): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => keepWriting ? socket.write(text) : socket.end(text))
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk.toString()
    })
    socket.on("error", () => {})
    socket.on("close", () => resolve(received))
  })

/** A request whose head has so many bytes. */
const exactly = (bytes: number): string => {
  const [before, after] = ["GET /none HTTP/1.1\r\nHost: x\r\nX: ", "\r\nConnection: close\r\n\r\n"]
  return `${before}${"a".repeat(bytes - before.length - after.length)}${after}`
}

describe("the RPC server", () => {
  it.live("says what the node is busy with until it has started", () =>
    Effect.gen(function*() {
      const { address, stage } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      yield* stage.set("Loading block index…")
      const early = yield* Effect.promise(() => exchange(address, { body: "{\"id\":1,\"method\":\"getblockcount\"}" }))
      assert.deepStrictEqual([early.status, early.body], [
        500,
        "{\"result\":null,\"error\":{\"code\":-28,\"message\":\"Loading block index…\"},\"id\":1}\n"
      ])
      const second = yield* Effect.promise(() => exchange(address, { body: COUNT }))
      assert.deepStrictEqual([second.status, JSON.parse(second.body).error.code], [200, -28])
      const ready = yield* Effect.promise(() => exchange(address, { method: "GET", path: "/health/live" }))
      assert.strictEqual(ready.status, 200)
      yield* stage.set(undefined)
      const started = yield* Effect.promise(() => exchange(address, { body: COUNT }))
      assert.strictEqual(started.body, "{\"jsonrpc\":\"2.0\",\"result\":322,\"id\":1}\n")
    }))

  it.live("has no answers before there is a state of the chain", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({
        directory: yield* temporaryDirectory,
        chain: fakeChain({}, () => undefined)
      })
      const early = yield* Effect.promise(() => exchange(address, { body: COUNT }))
      assert.strictEqual(JSON.parse(early.body).error.code, -28)
      const ready = yield* Effect.promise(() => exchange(address, { method: "GET", path: "/health/ready" }))
      assert.deepStrictEqual([ready.status, ready.body], [503, "{\"status\":\"not_ready\",\"service\":\"node\"}"])
    }))

  it.live("answers the health paths, and knows no others", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const get = (path: string) => Effect.promise(() => exchange(address, { method: "GET", path }))
      for (const path of ["/health", "/health/live"]) {
        const answer = yield* get(path)
        assert.deepStrictEqual([answer.status, answer.body], [200, "{\"status\":\"healthy\",\"service\":\"node\"}"])
      }
      assert.strictEqual((yield* get("/health/ready?x=1")).body, "{\"status\":\"ready\",\"service\":\"node\"}")
      for (const path of ["/nothing", "/health/x", "/rest", "//"]) {
        assert.strictEqual((yield* get(path)).status, 404, path)
      }
      assert.strictEqual(
        (yield* Effect.promise(() => exchange(address, { path: "/health", body: COUNT }))).status,
        404
      )
    }))

  it.live("refuses bodies that are too large, declared or not, and goes on", () =>
    Effect.gen(function*() {
      const options = { directory: yield* temporaryDirectory, chain: fakeChain(), limits: { maxRequestBytes: 1_000 } }
      const { address } = yield* testServer(options)
      const large = COUNT + " ".repeat(1_000_000)
      const declared = yield* Effect.promise(() => exchange(address, { body: large }))
      assert.strictEqual(declared.status, 413)
      assert.strictEqual(declared.body, "{\"error\":{\"code\":413,\"message\":\"A request has at most 1000 bytes\"}}\n")
      const chunked = yield* Effect.promise(() =>
        exchange(address, { headers: { "transfer-encoding": "chunked" }, body: large })
      )
      assert.strictEqual(chunked.status, 413)
      const asking =
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`
      assert.match(yield* Effect.promise(() => raw(address, asking)), /^HTTP\/1\.1 413 /)
      const fits = yield* Effect.promise(() => exchange(address, { body: COUNT + " ".repeat(1_000 - COUNT.length) }))
      assert.strictEqual(fits.status, 200)
    }))

  it.live("lets a client that asks first send its body", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${COUNT.length}`
      const text = `${head}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n${COUNT}`
      const answer = yield* Effect.promise(() => raw(address, text))
      assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[^]*"result":322/)
    }))

  it.live("refuses heads that are too large or make no sense", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const head = (line: string): string => `POST / HTTP/1.1\r\nHost: x\r\n${line}\r\nConnection: close\r\n\r\n`
      const small = (count: number): string =>
        Array.from({ length: count }, (_, i) => `h${String(i).padStart(4, "0")}: foo`).join("\r\n")
      const refused: ReadonlyArray<readonly [name: string, text: string]> = [
        ["one long header", head(`X: ${"a".repeat(9_000)}`)],
        ["a long request line", `GET /${"x".repeat(8_192)} HTTP/1.1\r\nHost: x\r\n\r\n`],
        ["many small headers", head(small(700))],
        ["more headers than are kept", head(small(3_000))],
        ["a head of one byte too many", exactly(8_193)],
        ["two lengths", head("Content-Length: 1\r\nContent-Length: 2")],
        ["nonsense", "nonsense\r\n\r\n"]
      ]
      for (const [name, text] of refused) {
        const answer = yield* Effect.promise(() => raw(address, text))
        assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, name)
        assert.match(answer, /\r\nConnection: close\r\n/i, name)
        assert.match(answer, /\r\nContent-Length: 0\r\n[^]*\r\n$/i, name)
      }
      assert.match(yield* Effect.promise(() => raw(address, exactly(8_192))), /^HTTP\/1\.1 404 /)
      assert.match(
        yield* Effect.promise(() => raw(address, head(small(400)))),
        /"message":"Parse error"/,
        "a call without a body"
      )
      assert.strictEqual((yield* Effect.promise(() => exchange(address, { body: COUNT }))).status, 200)
    }))

  it.live("serves a request of HTTP/1.1 without the name of a host", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const text = `POST / HTTP/1.1\r\nContent-Length: ${COUNT.length}\r\nConnection: close\r\n\r\n${COUNT}`
      assert.match(yield* Effect.promise(() => raw(address, text)), /^HTTP\/1\.1 200 OK[^]*"result":322/)
    }))

  it.live(
    "closes a connection that is idle for the request timeout, and not one whose answer takes longer",
    () =>
      Effect.gen(function*() {
        const chain = fakeChain({ chainTips: () => Effect.as(Effect.sleep(2_500), []) })
        const options = { directory: yield* temporaryDirectory, chain, limits: { requestTimeoutSeconds: 1 } }
        const { address } = yield* testServer(options)
        const text = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${TIPS.length}\r\n\r\n${TIPS}`
        const started = performance.now()
        const [used, unused] = yield* Effect.promise(() =>
          Promise.all(
            [text, ""].map(async (each) => [await raw(address, each, true), performance.now() - started] as const)
          )
        )
        assert.match(used![0], /^HTTP\/1\.1 200 OK[^]*"result":\[\]/)
        assert.isAtLeast(used![1], 3_400)
        assert.isBelow(used![1], patience(20_000))
        assert.strictEqual(unused![0], "")
      })
  )

  it.live("closes without a word on a client that does not finish its request", () =>
    Effect.gen(function*() {
      const options = { directory: yield* temporaryDirectory, chain: fakeChain(), limits: { requestTimeoutSeconds: 1 } }
      const { address } = yield* testServer(options)
      for (
        const begun of ["GET /x HTTP/1.1\r\nHost: x\r\n", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"]
      ) {
        const slow = Effect.promise(() => raw(address, begun, true))
        assert.strictEqual(yield* Effect.timeout(slow, patience(40_000)), "", begun)
      }
    }))

  it.live("answers 503 while too many calls are under way, and serves again afterwards", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      let inside = 0
      const waiting = fakeChain({
        chainTips: () => {
          inside++
          return Effect.as(Deferred.await(gate), [])
        }
      })
      const { address } = yield* testServer({
        directory: yield* temporaryDirectory,
        chain: waiting,
        limits: { workQueue: 2 }
      })
      const held = [1, 2].map(() => exchange(address, { body: TIPS }))
      yield* until(() => inside === 2)
      const refused = yield* Effect.promise(() => exchange(address, { body: COUNT }))
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.headers["retry-after"], "1")
      assert.strictEqual(
        (yield* Effect.promise(() => exchange(address, { method: "GET", path: "/health" }))).status,
        200
      )
      yield* Deferred.succeed(gate, undefined)
      for (const each of held) assert.strictEqual((yield* Effect.promise(() => each)).status, 200)
      assert.strictEqual((yield* Effect.promise(() => exchange(address, { body: COUNT }))).status, 200)
    }))

  it.live("keeps a place for others when a client goes away", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      let inside = 0
      const waiting = fakeChain({
        chainTips: () => {
          inside++
          return Effect.as(Deferred.await(gate), [])
        }
      })
      const { address } = yield* testServer({
        directory: yield* temporaryDirectory,
        chain: waiting,
        limits: { workQueue: 1 }
      })
      const socket = connect(address.port, address.host)
      socket.on("error", () => {})
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${TIPS.length}\r\n\r\n${TIPS}`)
      yield* until(() => inside === 1)
      socket.destroy()
      yield* until(async () => (await exchange(address, { body: COUNT })).status === 200)
      yield* Deferred.succeed(gate, undefined)
    }))

  it.live("delays no other client because of one that reads no answer, and does not keep the answer forever", () =>
    Effect.gen(function*() {
      const endless = fakeChain({
        chainTips: () =>
          Effect.succeed([{ height: 1, hash: new Uint8Array(20_000_000), branchLength: 0, status: "active" }])
      })
      const limits = { workQueue: 1, requestTimeoutSeconds: 1 }
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: endless, limits })
      const socket = connect(address.port, address.host)
      socket.on("error", () => {})
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${TIPS.length}\r\n\r\n${TIPS}`)
      let received = 0
      yield* Effect.promise(() => once(socket, "readable"))
      assert.strictEqual((yield* Effect.promise(() => exchange(address, { body: COUNT }))).status, 200)
      yield* Effect.sleep("3 seconds")
      socket.on("data", (chunk: Buffer) => void (received += chunk.length))
      yield* Effect.promise(() => once(socket, "close"))
      assert.isBelow(received, 40_000_000)
    }))

  it.live("a defect in the node is the node's fault, and the node stays up", () =>
    Effect.gen(function*() {
      const broken = fakeChain({
        chainTips: () =>
          Effect.sync(() => {
            throw new Error("boom")
          })
      })
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: broken })
      const answer = yield* Effect.promise(() => exchange(address, { body: TIPS }))
      assert.deepStrictEqual(JSON.parse(answer.body).error, { code: -32_603, message: "Internal error" })
      assert.strictEqual((yield* Effect.promise(() => exchange(address, { body: COUNT }))).status, 200)
    }))

  it.live("answers the call that stops it, then closes its port within a moment", () =>
    Effect.gen(function*() {
      const started = performance.now()
      const address = yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
        const idle = connect(server.address.port, server.address.host)
        idle.on("error", () => {})
        const answer = yield* Effect.promise(() =>
          exchange(server.address, { headers: admin, body: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stop\"}" })
        )
        assert.strictEqual(JSON.parse(answer.body).result, "Lockstep stopping")
        assert.deepStrictEqual(yield* server.shutdown.requested, { reason: "rpc", message: undefined })
        return server.address
      }))
      assert.isBelow(performance.now() - started, patience(5_000))
      const refused = yield* Effect.flip(Effect.tryPromise(() => exchange(address, { body: COUNT })))
      assert.include(String(refused.cause), "ECONNREFUSED")
    }))

  it.live("holds back the answer to stop for the milliseconds that its hidden parameter says, up to a second", () =>
    Effect.gen(function*() {
      const stop = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"stop","params":${params}}`
      for (const [params, least] of [["[0]", 0], ["{\"wait\":300}", 300], ["[4000000000]", 1_000]] as const) {
        const { address, shutdown } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
        const started = performance.now()
        const answer = yield* Effect.promise(() => exchange(address, { headers: admin, body: stop(params) }))
        assert.strictEqual(JSON.parse(answer.body).result, "Lockstep stopping")
        assert.isAtLeast(performance.now() - started, least - 5, params)
        assert.deepStrictEqual(yield* shutdown.requested, { reason: "rpc", message: undefined })
      }
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const wrong = yield* Effect.promise(() => exchange(address, { headers: admin, body: stop("[\"now\"]") }))
      assert.strictEqual(JSON.parse(wrong.body).error.code, -3)
    }))

  it.live("names the address it cannot listen on, and what to do", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const error = yield* Effect.flip(
        testServer({ directory: yield* temporaryDirectory, chain: fakeChain(), bind: address })
      )
      assert.include(error.message, `127.0.0.1:${address.port}`)
      assert.include(error.message, "--rpc-addr")
    }))
})
