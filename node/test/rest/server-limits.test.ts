import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { Agent, request } from "node:http"
import { connect } from "node:net"
import { openApiAnswer } from "../../src/rest/openapi/openapi-answer.ts"
import { RestServer, restServerLayer } from "../../src/rest/rest-server.ts"
import { ROUTES } from "../../src/rest/routes/table.ts"
import type { HttpRequests } from "../../src/http/take-request.ts"
import { SharedRequests } from "../../src/http/shared-requests.ts"
import { fakeChain } from "../rpc/fake-chain.ts"
import { basic } from "../rpc/http-exchange.ts"
import { testServer } from "../rpc/test-server.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

interface Sent {
  readonly verb?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly agent?: Agent
}

/** REST over RPC whose requests are taken otherwise. */
const started = Effect.fnUntraced(
  function*(over: Partial<HttpRequests>, chain = fakeChain(), maxRequestBytes = 4_000_000) {
    const rpc = yield* testServer({ directory: yield* temporaryDirectory, chain, limits: { maxRequestBytes } })
    const { mount, requests } = Context.get(rpc.shared, SharedRequests)
    const shared = Context.add(rpc.shared, SharedRequests, { mount, requests: { ...requests, ...over } })
    const scope = yield* Scope.make()
    const layer = Layer.provide(
      restServerLayer({ host: "127.0.0.1", port: 0 }, 16),
      Layer.merge(Layer.succeedContext(shared), Logger.layer([]))
    )
    const { address } = Context.get(yield* Layer.buildWithScope(layer, scope), RestServer)
    const close = Scope.close(scope, Exit.void)
    yield* Effect.addFinalizer(() => close)
    const ask = (path: string, { agent, body, headers = {}, verb = "GET" }: Sent = {}) =>
      Effect.promise(() =>
        new Promise<{ status: number; connection: string | undefined; json: any }>((resolve, reject) => { // oxlint-disable-line typescript/no-explicit-any
          const { host, port } = address
          const sent = request(
            { host, port, path: `/api/v1${path}`, method: verb, headers, ...agent === undefined ? {} : { agent } },
            (response) => {
              let text = ""
              response.on("data", (chunk: Buffer) => void (text += chunk.toString()))
              response.on("end", () =>
                resolve({
                  status: response.statusCode!,
                  connection: response.headers.connection,
                  json: text === "" ? undefined : JSON.parse(text)
                }))
            }
          )
          sent.on("error", reject)
          sent.end(body)
        })
      )
    return { address, ask, close }
  }
)

describe("the server of REST", () => {
  it.live("refuses addresses that RPC refuses, in its own form, also behind a body", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { ask } = yield* started({
        isAllowed: (address) => {
          seen.push(address)
          return false
        }
      })
      const { json, status } = yield* ask("/chain/height", {
        verb: "POST",
        body: "x".repeat(1_000_000),
        headers: { "x-request-id": "mine" }
      })
      assert.deepStrictEqual([status, json.error, json.meta.request_id], [
        403,
        { code: "forbidden", message: "This address is not allowed to call" },
        "mine"
      ])
      assert.deepStrictEqual(seen, ["127.0.0.1"])
    }))

  it.live("refuses what comes while RPC stops", () =>
    Effect.gen(function*() {
      const { ask } = yield* started({ isStopping: () => true })
      const { json, status } = yield* ask("/chain/height")
      assert.deepStrictEqual([status, json.error.code], [503, "unavailable"])
    }))

  it.live("ends a connection with the answer that is under way when it stops itself", () =>
    Effect.gen(function*() {
      const [arrived, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const chain = fakeChain({
        hashAt: () =>
          Effect.gen(function*() {
            yield* Deferred.succeed(arrived, undefined)
            yield* Deferred.await(released)
            return undefined
          })
      })
      const { address, ask, close } = yield* started({}, chain)
      const agent = new Agent({ keepAlive: true })
      yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
      assert.strictEqual((yield* ask("/chain/height", { agent })).connection, "keep-alive")
      const answer = yield* Effect.forkChild(ask("/blocks/height/1", { agent }))
      yield* Deferred.await(arrived)
      const closing = yield* Effect.forkChild(close)
      const isOpen = Effect.promise(() =>
        new Promise<boolean>((resolve) => {
          const socket = connect(address.port, address.host, () => {
            socket.destroy()
            resolve(true)
          })
          socket.on("error", () => resolve(false))
        })
      )
      while (yield* isOpen) yield* Effect.yieldNow
      yield* Deferred.succeed(released, undefined)
      const { connection, status } = yield* Fiber.join(answer)
      assert.deepStrictEqual([status, connection], [404, "close"])
      yield* Fiber.join(closing)
    }))

  it.live("takes a mebibyte, and more only where bytes are taken", () =>
    Effect.gen(function*() {
      const { ask } = yield* started({})
      const post = (path: string, length: number, type: string) =>
        Effect.map(
          ask(path, {
            verb: "POST",
            body: `{"more":"${"x".repeat(length - 11)}"}`,
            headers: { "content-type": type, authorization: basic("u:p") }
          }),
          ({ status }) => status
        )
      const mebibyte = 1_024 * 1_024
      assert.strictEqual(yield* post("/chain/verify", mebibyte, "application/json"), 400)
      assert.strictEqual(yield* post("/chain/verify", mebibyte + 1, "application/json"), 413)
      assert.strictEqual(yield* post("/transactions/decode", mebibyte + 1, "text/plain"), 400)
    }))

  it.live("takes no more than RPC does", () =>
    Effect.gen(function*() {
      const { ask } = yield* started({}, fakeChain(), 2_000)
      const post = (path: string, length: number) =>
        Effect.map(
          ask(path, { verb: "POST", body: "0".repeat(length), headers: { "content-type": "text/plain" } }),
          ({ status }) => status
        )
      assert.strictEqual(yield* post("/transactions/decode", 2_001), 413)
      assert.strictEqual(yield* post("/chain/verify", 2_001), 413)
      assert.strictEqual(yield* post("/transactions/decode", 2_000), 400)
    }))

  it.live("has its description for GET and HEAD alone", () =>
    Effect.gen(function*() {
      const { ask } = yield* started({})
      const statusOf = (verb: string) => Effect.map(ask("/openapi.json", { verb }), ({ status }) => status)
      assert.deepStrictEqual([yield* statusOf("GET"), yield* statusOf("HEAD"), yield* statusOf("POST")], [
        200,
        200,
        404
      ])
    }))

  it.live("makes an id for a request whose own is long, empty or has other characters", () =>
    Effect.gen(function*() {
      const { ask } = yield* started({})
      const idOf = (id: string) =>
        Effect.map(ask("/chain/height", { headers: { "x-request-id": id } }), ({ json }) => json.meta.request_id)
      for (const id of ["a", "A_z-0.9", "x".repeat(64)]) assert.strictEqual(yield* idOf(id), id)
      for (const id of ["", "x".repeat(65), "a b", "a/b"]) assert.match(yield* idOf(id), /^[0-9a-f-]{36}$/)
    }))
})

describe("the description of REST for programs", () => {
  it("is JSON with a tag that a client can ask again with, for each caller its own", () => {
    const { body, headers, status } = openApiAnswer("r-1", undefined)
    assert.strictEqual(status, 200)
    assert.strictEqual(JSON.parse(String(body)).openapi, "3.1.0")
    const common = { "Cache-Control": "private, no-cache", "X-Request-Id": "r-1", Vary: "Authorization" }
    const { ETag: tag, ...others } = headers
    assert.match(tag!, /^"[0-9a-f]{32}"$/)
    assert.deepStrictEqual(others, { ...common, "Content-Type": "application/json" })
    assert.deepStrictEqual(openApiAnswer("r-1", tag), {
      status: 304,
      body: undefined,
      headers: { ...common, ETag: tag! }
    })
    assert.strictEqual(openApiAnswer("r-1", "\"other\"").status, 200)
  })
})

describe("resources over REST", () => {
  const paths = (holds: (route: typeof ROUTES[number]) => boolean): ReadonlyArray<string> =>
    ROUTES.filter(holds).map(({ path, verb }) => `${verb} ${path}`).toSorted()

  it("have bytes that are the same for ever where a hash names them, and nowhere else", () => {
    assert.deepStrictEqual(paths(({ isImmutable }) => isImmutable), ["GET /blocks/{hash}", "GET /blocks/{hash}/header"])
  })

  it("take bodies of bytes where they take a block or one transaction", () => {
    assert.deepStrictEqual(paths(({ bytesInput }) => bytesInput === "hexdata"), ["POST /mining/blocks"])
    assert.deepStrictEqual(paths(({ bytesInput }) => bytesInput === "hexstring"), [
      "POST /transactions",
      "POST /transactions/decode",
      "POST /transactions/test"
    ])
    assert.lengthOf(paths(({ bytesInput }) => bytesInput !== undefined), 4)
  })

  it("have statuses of their own for errors that mean another thing there", () => {
    const own = ROUTES.flatMap(({ path, statuses, verb }) =>
      Object.entries(statuses).map(([tag, status]) => `${verb} ${path} ${tag} ${status}`)
    )
    assert.deepStrictEqual(own.toSorted(), [
      "DELETE /network/bans/{subnet} InvalidAddressOrSubnet 404",
      "GET /blocks/height/{height} HeightNotInActiveChain 404",
      "POST /chain/prune ChainTooShortToPrune 409",
      "POST /chain/prune Misc 409",
      "POST /chain/prune PruningDisabled 409",
      "POST /transactions AlreadyInUtxoSet 409",
      "POST /transactions Rejected 422",
      "POST /transactions Verify 422",
      "POST /transactions/create InvalidAddressOrKey 400"
    ])
  })

  it("of numbers have integers, of yes and no booleans, in what documents show", () => {
    const kinds = ROUTES.flatMap(({ inputs, path }) =>
      inputs.filter(({ place }) => place !== "body").map(({ ast, kind, name }) => `${path} ${name} ${kind} ${ast._tag}`)
    )
    for (
      const row of [
        "/blocks/height/{height} height number Number",
        "/blocks/{hash}/transactions hash text String",
        "/blocks/{hash}/transactions prevouts boolean Boolean",
        "/transactions/{txid} prevouts boolean Boolean",
        "/mempool verbose boolean Boolean"
      ]
    ) assert.include(kinds, row)
  })
})
