import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { readFileSync } from "node:fs"
import type { Socket } from "node:net"
import type { RpcCredentials } from "../../src/config/config.ts"
import { cookiePath } from "../../src/http/auth/cookie-file.ts"
import { testRest } from "../rest/rest-exchange.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { basic, bearer, type Exchange, exchange } from "./http-exchange.ts"
import { testServer, type TestServerOptions } from "./test-server.ts"

const chain = fakeChain({ setMockTime: () => Effect.void })

const call = (method: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${method === "setmocktime" ? "[1]" : "[]"}}`

/** HMAC-SHA256 of `correct horse:battery` with the key `0c1f6a`, made by `openssl dgst -sha256 -hmac 0c1f6a`. */
const SALTED = {
  user: "alice",
  salt: "0c1f6a",
  hash: "013dd3c1578bac256c204b4a0b8d87159b86e7b3d8d78f50303e539eb7daa254"
}

const PASSWORD = "correct horse:battery"

const NO_OTHERS: Partial<RpcCredentials> = { tokens: [], adminTokens: [], basic: undefined }

const headersOf = (authorization: string | undefined) => authorization === undefined ? {} : { authorization }

const served = Effect.fnUntraced(function*(options: Partial<TestServerOptions>) {
  const directory = yield* temporaryDirectory
  const { address } = yield* testServer({ directory, chain, ...options })
  const cookie = readFileSync(cookiePath(directory), "utf8")
  return {
    cookie: basic(cookie),
    ask: (body: string, authorization?: string): Effect.Effect<Exchange> =>
      Effect.promise(() => exchange(address, { headers: headersOf(authorization), body })),
    get: (path: string, authorization?: string): Effect.Effect<Exchange> =>
      Effect.promise(() => exchange(address, { method: "GET", path, headers: headersOf(authorization) }))
  }
})

describe("users with salted passwords", () => {
  it.live("the right password is an administrator's, anything else is wrong", () =>
    Effect.gen(function*() {
      const { ask } = yield* served({ credentials: { ...NO_OTHERS, salted: [SALTED] } })
      assert.strictEqual((yield* ask(call("setmocktime"), basic(`alice:${PASSWORD}`))).status, 200)
      const wrong = [
        "alice:wrong",
        `bob:${PASSWORD}`,
        "alice:",
        "alice",
        `:${PASSWORD}`,
        `alice:${SALTED.hash}`,
        `alice:0c1f6a$${SALTED.hash}`,
        `Alice:${PASSWORD}`,
        `alice:${PASSWORD} `
      ]
      for (const credentials of wrong) {
        assert.strictEqual((yield* ask(call("getblockcount"), basic(credentials))).status, 401, credentials)
      }
      assert.strictEqual((yield* ask(call("getblockcount"), bearer(PASSWORD))).status, 401)
    }))

  it.live("several users, and one with two passwords", () =>
    Effect.gen(function*() {
      const other = {
        user: "alice",
        salt: "s",
        hash: "95b58343c297a25ac4b175f9a93730b6439b38ac8bba5de636170d2c96cb5cce"
      }
      const { ask } = yield* served({
        credentials: { ...NO_OTHERS, required: true, salted: [SALTED, other, { ...other, user: "bob" }] }
      })
      for (const credentials of [`alice:${PASSWORD}`, "alice:second", "bob:second"]) {
        assert.strictEqual((yield* ask(call("getblockcount"), basic(credentials))).status, 200, credentials)
      }
      assert.strictEqual((yield* ask(call("getblockcount"), basic(`bob:${PASSWORD}`))).status, 401)
      assert.strictEqual((yield* ask(call("getblockcount"))).status, 401)
    }))
})

describe("methods that a user may call", () => {
  const LISTED: Partial<RpcCredentials> = {
    whitelist: { u: ["getblockcount", "setmocktime"], __token__: ["getbestblockhash"] }
  }

  it.live("only those of its list; without a list nothing, with 403 each time", () =>
    Effect.gen(function*() {
      const { ask, cookie } = yield* served({ credentials: LISTED })
      const statusOf = (method: string, who?: string) => Effect.map(ask(call(method), who), ({ status }) => status)
      assert.strictEqual(yield* statusOf("getblockcount", basic("u:p")), 200)
      assert.strictEqual(yield* statusOf("setmocktime", basic("u:p")), 200)
      assert.strictEqual(yield* statusOf("getbestblockhash", basic("u:p")), 403)
      assert.strictEqual(yield* statusOf("nonsense", basic("u:p")), 403)
      assert.strictEqual(yield* statusOf("getbestblockhash", bearer("normal-token")), 200)
      assert.strictEqual(yield* statusOf("getblockcount", bearer("normal-token")), 403)
      for (const who of [undefined, bearer("admin-token"), cookie]) {
        assert.strictEqual(yield* statusOf("getblockcount", who), 403)
      }
      const refused = yield* ask(call("stop"), basic("u:p"))
      assert.deepStrictEqual(JSON.parse(refused.body), {
        error: { code: 403, message: "Method 'stop' is not on the whitelist of u" }
      })
      assert.strictEqual(yield* statusOf("getblockcount", basic("u:wrong")), 401)
    }))

  it.live("one method of a batch that is not listed refuses all of it", () =>
    Effect.gen(function*() {
      const { ask } = yield* served({ credentials: LISTED })
      const batch = (...methods: ReadonlyArray<string>) => ask(`[${methods.map(call).join(",")}]`, basic("u:p"))
      assert.strictEqual((yield* batch("getblockcount", "getblockcount")).status, 200)
      assert.strictEqual((yield* batch("getblockcount", "getbestblockhash")).status, 403)
    }))

  it.live("a list does not lift what a method demands", () =>
    Effect.gen(function*() {
      const { ask } = yield* served({ credentials: { whitelist: { __token__: ["setmocktime"] } } })
      const refused = yield* ask(call("setmocktime"), bearer("normal-token"))
      assert.strictEqual(refused.status, 403)
      assert.include(refused.body, "requires admin privileges")
    }))

  it.live("whitelist_default decides about those without a list", () =>
    Effect.gen(function*() {
      const open = yield* served({ credentials: { ...LISTED, whitelistDefault: false } })
      assert.strictEqual((yield* open.ask(call("getblockcount"))).status, 200)
      assert.strictEqual((yield* open.ask(call("setmocktime"), open.cookie)).status, 200)
      assert.strictEqual((yield* open.ask(call("getbestblockhash"), basic("u:p"))).status, 403)
      const closed = yield* served({ credentials: { whitelistDefault: true } })
      assert.strictEqual((yield* closed.ask(call("getblockcount"), basic("u:p"))).status, 403)
      const named = yield* served({
        credentials: { whitelist: { __cookie__: ["getblockcount"], __anonymous__: ["getblockcount"] } }
      })
      assert.strictEqual((yield* named.ask(call("getblockcount"), named.cookie)).status, 200)
      assert.strictEqual((yield* named.ask(call("getblockcount"))).status, 200)
      assert.strictEqual((yield* named.ask(call("getblockcount"), basic("u:p"))).status, 403)
    }))

  it.live("figures for Prometheus count as getmetrics", () =>
    Effect.gen(function*() {
      const { get } = yield* served({ credentials: { whitelist: { u: ["getblockcount"], __token__: ["getmetrics"] } } })
      assert.strictEqual((yield* get("/metrics", basic("u:p"))).status, 403)
      assert.strictEqual((yield* get("/metrics", bearer("normal-token"))).status, 200)
      assert.strictEqual((yield* get("/health/live")).status, 200)
    }))

  it.live("REST answers with the methods of the list alone", () =>
    Effect.gen(function*() {
      const { ask } = yield* testRest({ chain, credentials: { whitelist: { u: ["getblockcount"] } } })
      const as = (authorization: string) => ({ headers: { authorization } })
      assert.strictEqual((yield* ask("/chain/height", as(basic("u:p")))).status, 200)
      for (const path of ["/chain/tip", "/blocks", "/node/memory"]) {
        const { json, status } = yield* ask(path, as(basic("u:p")))
        assert.deepStrictEqual([status, json.error.code], [403, "forbidden"], path)
      }
      assert.strictEqual((yield* ask("/chain/height")).status, 403)
    }))
})

describe("addresses that are answered", () => {
  /** What connections of this process seem to come from; none: what is true. */
  let remote: string | undefined
  const disguise = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket }
    if (remote !== undefined) Object.defineProperty(socket, "remoteAddress", { value: remote })
  }
  beforeAll(() => subscribe("net.server.socket", disguise))
  afterAll(() => unsubscribe("net.server.socket", disguise))

  const from = <A, E>(address: string, asked: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.ensuring(
      Effect.suspend(() => {
        remote = address
        return asked
      }),
      Effect.sync(() => (remote = undefined))
    )

  const ALLOWED = ["10.1.0.0/16", "192.168.7.9", "2001:db8::/32", "172.16.0.0/255.240.0.0"]

  const CASES: ReadonlyArray<readonly [address: string, isAnswered: boolean]> = [
    ["10.1.255.255", true],
    ["::ffff:10.1.2.3", true],
    ["10.2.0.0", false],
    ["192.168.7.9", true],
    ["192.168.7.8", false],
    ["172.31.255.255", true],
    ["172.32.0.0", false],
    ["2001:db8:ffff::1", true],
    ["2001:db9::1", false],
    ["fe80::1%eth0", false],
    ["127.0.0.1", true],
    ["127.9.9.9", true],
    ["::ffff:127.0.0.1", true],
    ["::1", true],
    ["", false]
  ]

  it.live("subnets, single addresses and this machine; all others get 403 whatever they ask and show", () =>
    Effect.gen(function*() {
      const { ask, get } = yield* served({ allowed: ALLOWED })
      for (const [address, isAnswered] of CASES) {
        const status = isAnswered ? 200 : 403
        assert.strictEqual((yield* from(address, ask(call("getblockcount")))).status, status, address)
        assert.strictEqual((yield* from(address, ask(call("getblockcount"), basic("u:p")))).status, status, address)
        assert.strictEqual((yield* from(address, get("/health/live"))).status, status, address)
        assert.strictEqual((yield* from(address, get("/nothing"))).status, isAnswered ? 404 : 403, address)
      }
      const refused = yield* from("10.2.0.0", ask(call("getblockcount"), basic("u:wrong")))
      assert.strictEqual(refused.status, 403)
      assert.include(refused.body, "[rpc].allow_ip")
    }))

  it.live("without a list all are answered", () =>
    Effect.gen(function*() {
      const { ask } = yield* served({})
      assert.strictEqual((yield* from("203.0.113.5", ask(call("getblockcount")))).status, 200)
    }))

  it.live("REST as well", () =>
    Effect.gen(function*() {
      const { ask } = yield* testRest({ chain, allowed: ALLOWED })
      assert.strictEqual((yield* from("10.1.0.1", ask("/chain/height"))).status, 200)
      const { json, status } = yield* from("10.2.0.1", ask("/chain/height"))
      assert.deepStrictEqual([status, json.error.code], [403, "forbidden"])
    }))
})
