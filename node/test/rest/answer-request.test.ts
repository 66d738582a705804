import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { answerRestRequest, type RestRequest } from "../../src/rest/answer-request.ts"
import type { MatchedRoute } from "../../src/rest/match-route.ts"
import { RestProblem } from "../../src/rest/rest-problem.ts"
import { type Form, OPEN_READ, type Route } from "../../src/rest/route.ts"
import { callError } from "../../src/queries/call-error.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"

const ROUTE: Route = {
  ...OPEN_READ,
  path: "/things/{id}",
  summary: "",
  inputs: [{
    name: "id",
    place: "path",
    kind: "text",
    description: "",
    required: true,
    standard: undefined,
    ast: Schema.String.ast
  }],
  result: Schema.String.ast,
  hasBytes: true,
  isPaged: false,
  answer: (given, _, form) => Effect.succeed({ data: form === "json" ? String(given.get("id")) : "00ff" })
}

const REQUEST: RestRequest = {
  verb: "GET",
  path: "/things/7",
  query: new URLSearchParams(),
  body: new Uint8Array(0),
  contentType: undefined,
  accept: undefined,
  ifNoneMatch: undefined,
  requestId: "r-1",
  now: () => 1_700_000_000_999 as never,
  caller: "anonymous",
  mayCall: () => true
}

const calls: Array<string> = []
const NODE = {
  activeCalls: {
    during: <A>(name: string, work: A): A => {
      calls.push(name)
      return work
    }
  }
} as unknown as MethodNode

const answered = (
  route: Partial<Route> = {},
  request: Partial<RestRequest> = {},
  matched?: MatchedRoute,
  node: MethodNode | string = NODE
) =>
  Effect.map(
    answerRestRequest(
      matched ?? { _tag: "Route", route: { ...ROUTE, ...route }, segments: new Map([["id", "7"]]) },
      { ...REQUEST, ...request },
      { node: () => node }
    ),
    ({ body, headers, status }) => ({
      status,
      headers,
      text: typeof body === "string" ? body : body === undefined ? undefined : Buffer.from(body)
    })
  )

const errorOf = (text: unknown) => JSON.parse(String(text)).error

const TYPES: Readonly<Record<Form, string>> = {
  json: "application/json",
  hex: "text/plain",
  binary: "application/octet-stream"
}

describe("an answer over REST", () => {
  it.effect("is JSON in its envelope, digits with a line end, or bytes, each with its type", () =>
    Effect.gen(function*() {
      const json = yield* answered()
      assert.deepStrictEqual(JSON.parse(String(json.text)), {
        data: "7",
        meta: { timestamp: "1700000000", version: "1.0", request_id: "r-1" }
      })
      assert.strictEqual(json.headers["Content-Type"], TYPES.json)
      const digits = yield* answered({}, { accept: TYPES.hex })
      assert.deepStrictEqual([digits.headers["Content-Type"], digits.text], [TYPES.hex, "00ff\n"])
      const bytes = yield* answered({}, { accept: TYPES.binary })
      assert.deepStrictEqual([bytes.headers["Content-Type"], bytes.text], [TYPES.binary, Buffer.of(0, 255)])
      for (const { headers } of [json, digits, bytes]) {
        assert.deepStrictEqual([headers["X-Request-Id"], headers["Vary"]], ["r-1", "Accept, Authorization"])
      }
    }))

  it.effect("is kept for ever where its bytes are the same for ever, and asked for again otherwise", () =>
    Effect.gen(function*() {
      const kept = (route: Partial<Route>, accept: string) =>
        Effect.map(answered(route, { accept }), ({ headers }) => headers["Cache-Control"])
      const forEver = "private, max-age=31536000, immutable"
      assert.strictEqual(yield* kept({ isImmutable: true }, TYPES.binary), forEver)
      assert.strictEqual(yield* kept({ isImmutable: true }, TYPES.hex), forEver)
      assert.strictEqual(yield* kept({ isImmutable: true }, TYPES.json), "private, no-cache")
      assert.strictEqual(yield* kept({}, TYPES.binary), "private, no-cache")
    }))

  it.effect("has a strong tag in bytes and a weak one in JSON, by which a client gets no content", () =>
    Effect.gen(function*() {
      for (
        const [accept, pattern] of [[TYPES.binary, /^"[0-9a-f]{32}"$/], [TYPES.json, /^W\/"[0-9a-f]{32}"$/]] as const
      ) {
        const { headers } = yield* answered({}, { accept })
        const tag = headers["ETag"]!
        assert.match(tag, pattern)
        const again = yield* answered({}, { accept, ifNoneMatch: tag })
        assert.deepStrictEqual(again, {
          status: 304,
          text: undefined,
          headers: {
            "X-Request-Id": "r-1",
            Vary: "Accept, Authorization",
            ETag: tag,
            "Cache-Control": "private, no-cache"
          }
        })
      }
    }))

  it.effect("is counted as a call by the method of HTTP and the path", () =>
    Effect.gen(function*() {
      calls.length = 0
      yield* answered()
      assert.deepStrictEqual(calls, ["GET /api/v1/things/{id}"])
    }))
})

describe("a request over REST is refused", () => {
  it.effect("with the status of its problem, also where a resource has its own for an error", () =>
    Effect.gen(function*() {
      const failing = (error: ReturnType<typeof callError> | RestProblem, statuses: Route["statuses"] = {}) =>
        answered({ statuses, answer: () => Effect.fail(error) })
      const ours = yield* failing(new RestProblem(409, "no", ["yes"]))
      assert.deepStrictEqual([ours.status, errorOf(ours.text)], [409, {
        code: "conflict",
        message: "no",
        suggestions: ["yes"]
      }])
      const misc = yield* failing(callError("Misc", "odd"))
      assert.deepStrictEqual([misc.status, errorOf(misc.text)], [
        400,
        { code: "bad_request", message: "odd", details: { rpc_code: -1 } }
      ])
      assert.strictEqual((yield* failing(callError("Misc", "odd"), { Misc: 503 })).status, 503)
    }))

  it.effect("as the fault of the node where something failed inside, which the log alone names", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const logger = Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${String(cause)}`))
      const { status, text } = yield* Effect.provide(
        answered({
          answer: () =>
            Effect.sync(() => {
              throw new Error("a secret")
            })
        }),
        Logger.layer([logger])
      )
      assert.deepStrictEqual([status, errorOf(text).message, errorOf(text).details], [
        500,
        "Internal error",
        { rpc_code: -32603 }
      ])
      assert.notInclude(String(text), "secret")
      assert.lengthOf(logged, 1)
      assert.include(logged[0], "a request failed inside the node")
      // A failure that is foreseen is none of the node.
      yield* Effect.provide(
        answered({ answer: () => Effect.fail(callError("Misc", "odd")) }),
        Logger.layer([logger])
      )
      assert.lengthOf(logged, 1)
    }))

  it.effect("where no form of it is wanted, by the names of those that there are", () =>
    Effect.gen(function*() {
      const pictures = { accept: "image/png" }
      const every = yield* answered({}, pictures)
      assert.deepStrictEqual([every.status, errorOf(every.text).message], [
        406,
        "This resource comes as application/json, application/octet-stream and text/plain"
      ])
      const one = yield* answered({ hasBytes: false }, pictures)
      assert.strictEqual(errorOf(one.text).message, "This resource comes as application/json")
      assert.strictEqual((yield* answered({ hasBytes: false }, { accept: TYPES.hex })).status, 406)
    }))

  it.effect("where the caller lacks a privilege, or the whitelist has not its method", () =>
    Effect.gen(function*() {
      const denied = yield* answered({ privilege: "admin" }, { caller: "normal" })
      assert.deepStrictEqual([denied.status, errorOf(denied.text).message], [
        403,
        "GET /api/v1/things/{id} requires admin privileges"
      ])
      assert.strictEqual((yield* answered({ privilege: "admin" }, { caller: "admin" })).status, 200)
      const asked: Array<string | undefined> = []
      const mayCall = (method: string | undefined): boolean => {
        asked.push(method)
        return false
      }
      const unlisted = yield* answered({ method: "getthing" }, { mayCall })
      assert.deepStrictEqual([unlisted.status, errorOf(unlisted.text).message], [
        403,
        "GET /api/v1/things/{id} is not on the whitelist of this user"
      ])
      assert.deepStrictEqual(asked, ["getthing"])
    }))

  it.effect("while the node starts, with when to come back, and what else is refused without", () =>
    Effect.gen(function*() {
      const starting = yield* answered({}, {}, undefined, "Loading…")
      assert.deepStrictEqual([starting.status, starting.headers["Retry-After"], errorOf(starting.text).message], [
        503,
        "1",
        "Loading…"
      ])
      const bad = yield* answered({}, { query: new URLSearchParams("more=1") })
      assert.deepStrictEqual([bad.status, bad.headers["Retry-After"]], [400, undefined])
    }))

  it.effect("where nothing is, with where to look, or what is not in this build", () =>
    Effect.gen(function*() {
      const nothing = yield* answered({}, { path: "/nowhere" }, { _tag: "Nothing" })
      assert.deepStrictEqual([nothing.status, errorOf(nothing.text)], [
        404,
        { code: "not_found", message: "There is no such resource", suggestions: ["See /api/v1/openapi.json"] }
      ])
      assert.strictEqual((yield* answered({}, { path: undefined }, { _tag: "Nothing" })).status, 404)
      for (const path of ["/payment", "/payments", "/vaults/1", "/pools", "/batches", "/congestion"]) {
        const missing = yield* answered({}, { path }, { _tag: "Nothing" })
        assert.deepStrictEqual([missing.status, errorOf(missing.text).message], [
          501,
          "This resource needs payment processing, which is not in this build"
        ], path)
      }
      for (const path of ["/paymentsx", "/x/vaults", "/poolside"]) {
        assert.strictEqual((yield* answered({}, { path }, { _tag: "Nothing" })).status, 404, path)
      }
    }))

  it.effect("with the methods of HTTP that there are, HEAD where there is GET", () =>
    Effect.gen(function*() {
      const other = (verbs: ReadonlyArray<string>, path = "/things/7") =>
        answered({}, { verb: "PUT", path }, { _tag: "OtherVerbs", verbs })
      const both = yield* other(["GET", "DELETE"])
      assert.deepStrictEqual([both.status, both.headers["Allow"], errorOf(both.text).message], [
        405,
        "GET, HEAD, DELETE",
        "PUT is not for this resource"
      ])
      assert.strictEqual((yield* other(["POST"])).headers["Allow"], "POST")
      assert.strictEqual((yield* other(["POST"], "/vaults")).status, 501)
    }))
})
