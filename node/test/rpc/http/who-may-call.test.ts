import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { callerOf } from "../../../src/http/auth/caller.ts"
import { methodWhitelist } from "../../../src/http/auth/method-whitelist.ts"
import { type HttpAnswer, textAnswer } from "../../../src/http/http-answer.ts"
import { type RpcRequests, takeRpcRequest } from "../../../src/rpc/rpc-requests.ts"
import { workQueue } from "../../../src/http/work-queue.ts"
import { rateLimits } from "../../../src/http/limits/rate-limits.ts"
import { activeCalls } from "../../../src/queries/active-calls.ts"
import { type Method, method } from "../../../src/methods/definition/method.ts"
import { bearer, exchange } from "../http-exchange.ts"
import { NO_RATE_LIMITS } from "../test-server.ts"

const named = (name: string, privilege: "anyone" | "admin"): readonly [string, Method] => [
  name,
  method({
    name,
    category: "util",
    privilege,
    description: "Answers its name.",
    parameters: {},
    result: Schema.String,
    examples: [],
    call: () => Effect.succeed(name)
  })
]

const credentials = {
  tokens: ["normal"],
  adminTokens: ["admin"],
  basic: undefined,
  salted: [],
  required: false,
  whitelist: {},
  whitelistDefault: undefined
}

/** What a body is answered with by a server that differs so from the usual one. */
const answered = (
  body: string,
  token: string | undefined,
  more: Partial<RpcRequests> = {}
): Effect.Effect<{ readonly status: number; readonly body: string; readonly refusals: ReadonlyArray<string> }> =>
  Effect.promise(async () => {
    const refusals: Array<string> = []
    const ofModule = (name: string) => ({
      name,
      module: "mod",
      description: "",
      isOverride: name === "open",
      call: () => Effect.succeed("\"of a module\"")
    })
    const requests: RpcRequests = {
      target: {
        methods: new Map([named("open", "anyone"), named("closed", "admin")]),
        moduleMethod: (name) => name === "added" || name === "open" ? ofModule(name) as never : undefined,
        node: () => ({ activeCalls: activeCalls(() => 0 as never), checksAnswers: false, isStandIn: false }) as never
      },
      callerOf: callerOf(credentials, undefined),
      mayCall: methodWhitelist(credentials),
      isAllowed: () => true,
      queue: workQueue(4),
      limits: rateLimits(NO_RATE_LIMITS, true, () => 0),
      figures: { entered: () => {}, left: () => {}, refused: (reason) => void refusals.push(reason) },
      maxBytes: 1_000_000,
      timeoutMs: 5_000 as never,
      isStopping: () => false,
      run: (effect) => {
        Effect.runFork(effect)
        return () => {}
      },
      ...more
    }
    const server = createServer((request, response) => takeRpcRequest(request, response, requests))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const headers = token === undefined ? {} : { authorization: bearer(token) }
    const { body: text, status } = await exchange({ host: "127.0.0.1", port }, { headers, body })
    server.close()
    return { status, body: text, refusals }
  })

const call = (...names: ReadonlyArray<string>): string =>
  names.length === 1 ? `{"method":"${names[0]}"}` : `[${names.map((name) => `{"method":"${name}"}`).join(",")}]`
const needs = (name: string): string =>
  `{"error":{"code":403,"message":"Method '${name}' requires admin privileges"}}\n`

describe("callers of RPC", () => {
  it.live("may call what a module adds as administrators alone, and what it answers in place of the node's as before", () =>
    Effect.gen(function*() {
      for (const token of [undefined, "normal"]) {
        for (const name of ["added", "closed"]) {
          const { body, status } = yield* answered(call("open", name, "open"), token)
          assert.deepStrictEqual([status, body], [403, needs(name)])
        }
        const open = yield* answered(call("open"), token)
        assert.deepStrictEqual([open.status, open.body], [200, "{\"result\":\"of a module\",\"error\":null}\n"])
        assert.strictEqual((yield* answered(call("unknown"), token)).status, 404)
      }
      for (const name of ["added", "closed"]) assert.strictEqual((yield* answered(call(name), "admin")).status, 200)
    }))

  it.live("are held to their list first, in the words that the server has for it", () =>
    Effect.gen(function*() {
      const whitelist = methodWhitelist({ whitelist: { __token__: ["open"] }, whitelistDefault: undefined })
      const { body, status } = yield* answered(call("open", "closed"), "normal", { mayCall: whitelist })
      assert.deepStrictEqual(
        [status, body],
        [403, "{\"error\":{\"code\":403,\"message\":\"Method 'closed' is not on the whitelist of __token__\"}}\n"]
      )
      const seen: Array<readonly [number, string | undefined]> = []
      const refusal = (answer: HttpAnswer, { method: verb }: { readonly method?: string | undefined }) => {
        seen.push([answer.status, verb])
        return textAnswer(418, "no")
      }
      for (const [names, token] of [["closed", "normal"], ["open", "wrong"]] as const) {
        const shaped = yield* answered(call(names), token, { refusal })
        assert.deepStrictEqual([shaped.status, shaped.body], [418, "no"])
      }
      assert.deepStrictEqual(seen, [[403, "POST"], [401, "POST"]])
    }))

  it.live("pay for each call of a batch, and are refused where there is no memory for what they ask", () =>
    Effect.gen(function*() {
      const limits = rateLimits({ ...NO_RATE_LIMITS, user: { burst: 3, rate: 1 }, ofLoopback: true }, true, () => 0)
      const two = yield* answered(call("open", "open"), "normal", { limits })
      assert.deepStrictEqual([two.status, two.refusals], [200, []])
      const more = yield* answered(call("open", "open", "open"), "normal", { limits })
      assert.deepStrictEqual([more.status, more.refusals], [429, ["rate"]])
      const asked: Array<number> = []
      const queue = workQueue(4)
      const hold = (bytes: number) => {
        asked.push(bytes)
        return asked.length < 2
      }
      const full = yield* answered(call("open"), "normal", { queue: { ...queue, hold } })
      assert.deepStrictEqual([full.status, full.refusals, asked], [503, ["overload"], [call("open").length, 2 * 128]])
    }))

  it.live("show who they are in a log of every call", () =>
    Effect.gen(function*() {
      const events: Array<unknown> = []
      yield* answered("[{\"method\":\"open\",\"id\":\"x\"},{\"method\":\"none\",\"id\":2}]", "normal", {
        trace: (event) => void events.push(event)
      })
      assert.deepStrictEqual(events, [
        { _tag: "RpcCall", method: "open", user: "__token__", id: "x" },
        { _tag: "RpcCall", method: "none", user: "__token__", id: "2" }
      ])
    }))
})
