import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import { statSync } from "node:fs"
import type { RequestListener, Server } from "node:http"
import { connect } from "node:net"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import { httpServer } from "../../../src/http/http-server.ts"
import { SharedRequests } from "../../../src/http/shared-requests.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { fakeChain } from "../fake-chain.ts"
import { basic, bearer, exchange } from "../http-exchange.ts"
import { ask } from "../rpc-client.ts"
import { testServer, type TestServerOptions } from "../test-server.ts"

const COUNT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getblockcount\"}"
const ADMIN = { authorization: bearer("admin-token") }

const served = (options: Partial<TestServerOptions> = {}) =>
  Effect.flatMap(temporaryDirectory, (directory) => testServer({ directory, chain: fakeChain(), ...options }))

describe("a server of HTTP", () => {
  const listening = (
    listener: RequestListener,
    more: Partial<Parameters<typeof httpServer>[0]> = {}
  ) =>
    httpServer({
      bind: { host: "127.0.0.1", port: 0 },
      timeoutMs: 7_000 as never,
      listener,
      whenQuiet: () => {},
      ...more
    })

  it.live("has times for requests and idle connections, probes those that wait, and room for those that end", () =>
    Effect.gen(function*() {
      let server: (Server & { readonly keepAliveInitialDelay?: number; readonly keepAlive?: boolean }) | undefined
      const address = yield* listening((request, response) => {
        server = (request.socket as unknown as { readonly server: Server }).server
        response.end()
      })
      yield* Effect.promise(() => exchange(address, {}))
      const { headersTimeout, keepAlive, keepAliveInitialDelay, keepAliveTimeout, maxConnections, requestTimeout } =
        server!
      assert.deepStrictEqual([requestTimeout, headersTimeout, keepAliveTimeout], [7_000, 7_000, 7_000])
      // Node.js keeps the seconds of it.
      assert.deepStrictEqual([keepAlive, keepAliveInitialDelay], [true, 60])
      assert.strictEqual(maxConnections % 5, 0, "a quarter more than are kept")
    }))

  it.live("drops the connections of an address that may not connect, before anything is read", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const address = yield* listening(() => assert.fail("it was read"), {
        mayConnect: (from) => asked.push(from) > 1
      })
      const socket = connect(address.port, address.host)
      socket.on("error", () => {})
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      yield* Effect.promise(() => once(socket, "close"))
      assert.deepStrictEqual(asked, ["127.0.0.1"])
    }))

  it.live("names itself and the setting of its address where it cannot listen", () =>
    Effect.gen(function*() {
      const address = yield* listening(() => {})
      const called = { name: "REST", setting: "--rest-addr" }
      const refused = (bind: typeof address) => Effect.flip(listening(() => {}, { bind, called }))
      const inUse = yield* refused(address)
      assert.strictEqual(
        inUse.message,
        `cannot listen for REST on 127.0.0.1:${address.port}: another program listens there: stop it, or choose another address with --rest-addr`
      )
      assert.strictEqual(inUse.code, "EADDRINUSE")
      const elsewhere = yield* refused({ host: "192.0.2.1", port: 0 })
      assert.strictEqual(
        elsewhere.message,
        "cannot listen for REST on 192.0.2.1:0: this machine has no such address: choose another one with --rest-addr"
      )
    }))

  it.live("ends idle connections at once when it stops, and others when all have their answers, or after a while", () =>
    Effect.gen(function*() {
      for (const isQuiet of [true, false]) {
        const scope = yield* Scope.make()
        const taken = yield* Deferred.make<void>()
        let quiet: (() => void) | undefined
        const address = yield* Scope.provide(
          listening((request, response) => {
            if (request.url === "/done") response.end()
            else Effect.runFork(Deferred.succeed(taken, undefined))
          }, { whenQuiet: (done) => void (quiet = done) }),
          scope
        )
        const [idle, busy] = [connect(address.port, address.host), connect(address.port, address.host)]
        for (const socket of [idle, busy]) socket.on("error", () => {}).resume()
        idle.write("GET /done HTTP/1.1\r\nHost: a\r\n\r\n")
        yield* Effect.promise(() => once(idle, "data"))
        busy.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        yield* Deferred.await(taken)
        const started = performance.now()
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        yield* Effect.promise(() => once(idle, "close"))
        assert.isFalse(busy.closed)
        if (isQuiet) quiet!()
        yield* Effect.promise(() => once(busy, "close"))
        yield* Fiber.join(closing)
        if (!isQuiet) assert.isAtLeast(performance.now() - started, 1_450)
      }
    }))
})

describe("the server of RPC", () => {
  it.live("answers below a prefix by another listener until the scope of that ends", () =>
    Effect.gen(function*() {
      const { address, shared } = yield* served()
      const status = (path: string, method = "GET") =>
        Effect.map(Effect.promise(() => exchange(address, { method, path })), (answer) => answer.status)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* Context.get(shared, SharedRequests).mount("/other", (request, response) => {
          response.statusCode = 299
          response.end(request.url)
        })
        assert.deepStrictEqual(
          [yield* status("/other"), yield* status("/other/x?y", "POST"), yield* status("/othe")],
          [299, 299, 404]
        )
      }))
      assert.strictEqual(yield* status("/other"), 404)
    }))

  it.live("takes calls at the root and below /wallet/, by POST alone", () =>
    Effect.gen(function*() {
      const { address } = yield* served()
      const sent = (method: string, path: string) =>
        Effect.map(
          Effect.promise(() => exchange(address, { method, path, body: COUNT })),
          ({ body, status }) => [status, body.slice(0, 26)]
        )
      const answer = [200, "{\"jsonrpc\":\"2.0\",\"result\":"]
      for (const path of ["/", "/?x", "/wallet/", "/wallet/a"]) {
        assert.deepStrictEqual(yield* sent("POST", path), answer, path)
      }
      for (const path of ["/wallet", "/x"]) {
        assert.deepStrictEqual(yield* sent("POST", path), [404, ""], path)
      }
      assert.deepStrictEqual(yield* sent("PUT", "/"), [405, "JSONRPC server handles onl"])
      assert.deepStrictEqual(yield* sent("DELETE", "/wallet/"), [405, ""])
      assert.deepStrictEqual(yield* sent("PUT", "/x"), [404, ""])
    }))

  it.live("shows figures to callers with credentials alone where there are any", () =>
    Effect.gen(function*() {
      const guarded = yield* served()
      const open = yield* served({ credentials: { tokens: [], adminTokens: [], basic: undefined } })
      const get = (address: typeof guarded.address, headers: Readonly<Record<string, string>> = {}) =>
        Effect.promise(() => exchange(address, { method: "GET", path: "/metrics", headers }))
      assert.strictEqual((yield* get(guarded.address)).status, 401)
      for (const shown of [yield* get(guarded.address, ADMIN), yield* get(open.address)]) {
        assert.strictEqual(shown.status, 200)
        assert.match(String(shown.headers["content-type"]), /^text\/plain; version=0\.0\.4/)
        assert.include(shown.body, "# TYPE ")
      }
      const detailed = yield* Effect.promise(() =>
        exchange(guarded.address, { method: "GET", path: "/health/detailed" })
      )
      assert.strictEqual(detailed.status, 200)
      assert.strictEqual(detailed.headers["content-type"], "application/json")
    }))

  it.live("measures calls in seconds, and says what its configuration is", () =>
    Effect.gen(function*() {
      const chain = fakeChain({
        chainTips: () => Effect.as(Effect.sleep(30), []),
        hashAt: () => Effect.succeed(undefined)
      })
      const { address } = yield* served({ chain, pruning: { _tag: "TargetSize", bytes: 600_000_000 } })
      const result = (method: string) =>
        Effect.map(Effect.promise(() => ask(address, method)), (answer) => answer.result as never)
      yield* result("getchaintips")
      const { rpc } = (yield* result("getmetrics")) as {
        readonly rpc: { readonly methods: Readonly<Record<string, { readonly average_ms: number }>> }
      }
      assert.isAbove(rpc.methods["getchaintips"]!.average_ms, 20)
      assert.isBelow(rpc.methods["getchaintips"]!.average_ms, 20_000)
      const states = (yield* result("getchainstates")) as {
        readonly chainstates: ReadonlyArray<Readonly<Record<string, number>>>
      }
      assert.strictEqual(states.chainstates[0]!["coins_tip_cache_bytes"], 4 * 1024 * 1024)
      const info = (yield* result("getblockchaininfo")) as Readonly<Record<string, unknown>>
      assert.strictEqual(info["prune_target_size"], 600_000_000)
    }))

  it.live("ends the connection with the last answer once the node stops", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const chain = fakeChain({
        chainTips: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(gate), []))
      })
      const scope = yield* Scope.make()
      const { address } = yield* Scope.provide(served({ chain }), scope)
      const tips = "{\"id\":1,\"method\":\"getchaintips\"}"
      const answer = exchange(address, { headers: { connection: "keep-alive" }, body: tips })
      yield* Deferred.await(begun)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Effect.promise(() => answer)).headers["connection"], "close")
      yield* Fiber.join(closing)
    }))
})

describe("a server that stands in for Bitcoin Core's", () => {
  it.live("has its cookie, its words in the log, and its refusals", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const events: Array<TraceEvent> = []
      const standing = (mode: number, more: Partial<TestServerOptions> = {}) =>
        testServer({
          directory,
          chain: fakeChain(),
          standIn: {
            cookie: { file: `${directory}/own`, mode },
            rpcThreads: 4,
            moreRpcBinds: [{ host: "127.0.0.1", port: 0 }],
            checksAnswers: false,
            logFile: undefined
          },
          trace: (event) => void events.push(event),
          ...more
        })
      const { address } = yield* standing(0o640)
      assert.strictEqual(statSync(`${directory}/own`).mode & 0o777, 0o640)
      const said = () => events.flatMap((event) => event._tag === "RpcStarting" ? coreTexts(event) : [])
      assert.deepStrictEqual(said(), [
        `Generated RPC authentication cookie ${directory}/own`,
        "Permissions used for cookie: rw-r-----",
        "Using rpcuser/rpcpassword authentication.",
        "Starting HTTP server with 4 worker threads"
      ])
      events.length = 0
      const salted = [{ user: "a", salt: "00", hash: "00".repeat(32) }]
      const credentials = { tokens: [], adminTokens: [], basic: undefined, salted }
      yield* Effect.scoped(standing(0o777, { credentials }))
      assert.deepStrictEqual(said().slice(1), [
        "Permissions used for cookie: rwxrwxrwx",
        "Using random cookie authentication.",
        "Using rpcauth authentication.",
        "Starting HTTP server with 4 worker threads"
      ])
      events.length = 0
      yield* Effect.scoped(standing(0, {
        credentials,
        standIn: { cookie: undefined, rpcThreads: 1, moreRpcBinds: [], checksAnswers: false, logFile: undefined }
      }))
      assert.strictEqual(said()[0], "RPC authentication cookie file generation is disabled.")
      const headers = { authorization: basic("u:p") }
      const question = yield* Effect.promise(() => exchange(address, { path: "/?x", headers, body: COUNT }))
      assert.strictEqual(question.status, 404)
      events.length = 0
      yield* Effect.promise(() => exchange(address, { headers, body: COUNT }))
      assert.deepStrictEqual(events, [{ _tag: "RpcCall", method: "getblockcount", user: "u", id: "1" }])
      const refused = yield* Effect.promise(() => exchange(address, { body: "{\"method\":\"stop\"}" }))
      assert.deepStrictEqual([refused.status, refused.body], [403, ""])
    }))
})
