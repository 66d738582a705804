import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fakeChain, STATE } from "../rpc/fake-chain.ts"
import { basic, bearer } from "../rpc/http-exchange.ts"
import { testRest } from "./rest-exchange.ts"

const admin = { authorization: basic("u:p") }
/** Of this network. */
const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
const HASH = "07".repeat(32)

describe("the REST server", () => {
  it.live("puts data in an envelope, with the request's own id", () =>
    Effect.gen(function*() {
      const { ask } = yield* testRest({ chain: fakeChain() })
      const { headers, json, status } = yield* ask("/chain/height", { headers: { "x-request-id": "mine-1" } })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json.data, { height: STATE.height })
      assert.deepStrictEqual(Object.keys(json.meta), ["timestamp", "version", "request_id"])
      assert.match(json.meta.timestamp, /^\d{10}$/)
      assert.strictEqual(json.meta.version, "1.0")
      assert.deepStrictEqual([json.meta.request_id, headers["x-request-id"]], ["mine-1", "mine-1"])
      const other = yield* ask("/chain/height", { headers: { "x-request-id": "<script>" } })
      assert.match(other.json.meta.request_id, /^[0-9a-f-]{36}$/)
      const tip = yield* ask("/chain/tip")
      assert.deepStrictEqual([tip.json.data.height, tip.json.data.hash], [STATE.height, HASH])
    }))

  it.live("answers errors with their status, a word and a message", () =>
    Effect.gen(function*() {
      const answers = { blockFacts: () => Effect.succeed(undefined), indexes: () => Effect.succeed([]) }
      const { ask } = yield* testRest({ chain: fakeChain(answers) })
      const expected: ReadonlyArray<
        readonly [path: string, status: number, code: string, message: RegExp, verb?: string]
      > = [
        ["/nothing", 404, "not_found", /no such resource/],
        ["", 404, "not_found", /no such resource/],
        ["/chain/tip/", 404, "not_found", /no such resource/],
        [`/blocks/${HASH}`, 404, "not_found", /^Block not found$/],
        ["/blocks/zz", 400, "bad_request", /must be of length 64/],
        ["/blocks/%zz", 400, "bad_request", /must be of length 64/],
        ["/blocks/height/323", 404, "not_found", /out of range/],
        ["/blocks/height/x", 400, "bad_request", /height must be an integer/],
        ["/blocks?limit=101", 400, "bad_request", /limit must be 1 to 100/],
        ["/blocks?offset=-1", 400, "bad_request", /offset/],
        ["/blocks?page=1", 400, "bad_request", /no query parameter page/],
        ["/blocks?limit=1&limit=2", 400, "bad_request", /given twice/],
        ["/chain/utxo-set?use_index=maybe", 400, "bad_request", /true or false/],
        ["/chain/tip", 405, "method_not_allowed", /POST is not for this resource/, "POST"],
        ["/chain/prune", 405, "method_not_allowed", /GET is not for this resource/],
        ["/payments/x", 501, "not_in_this_build", /needs payment processing, which is not in this build/],
        ["/addresses/x", 404, "not_found", /no such resource/],
        ["/addresses/x/balance", 400, "bad_request", /'x' is no address here: /],
        ["/addresses/bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq/utxos", 400, "bad_request", /is no address here: /],
        [`/addresses/${ADDRESS}/balance`, 501, "not_in_this_build", /keeps no index of addresses/],
        [`/addresses/${ADDRESS}/transactions?limit=0`, 400, "bad_request", /limit must be 1 to 100/],
        ["/outputs", 501, "not_in_this_build", /keeps no index of values/],
        ["/outputs?min_value=-1", 400, "bad_request", /min_value must be an amount of 0 to 21000000 BTC, not '-1'/],
        ["/outputs?max_value=0.000000001", 400, "bad_request", /max_value must be an amount/],
        ["/outputs?min_value=2&max_value=1", 400, "bad_request", /min_value must not be above max_value/],
        ["/mempool/transactions/x", 400, "bad_request", /txid must be of length 64/],
        ["/transactions", 405, "method_not_allowed", /GET is not for this resource/],
        ["/transactions", 403, "forbidden", /requires admin privileges/, "POST"],
        ["/network/peers", 409, "conflict", /Peer-to-peer functionality missing or disabled/],
        [`/blocks/${HASH}/filter`, 501, "not_in_this_build", /no index of block filters/],

        ["/chain/tips", 500, "internal_error", /no answer to chainTips/]
      ]
      for (const [path, status, code, message, verb = "GET"] of expected) {
        const answer = yield* ask(path, { verb })
        assert.strictEqual(answer.status, status, path)
        assert.strictEqual(answer.json.error.code, code, path)
        assert.match(answer.json.error.message, message, path)
        assert.strictEqual(answer.json.meta.version, "1.0", path)
      }
      assert.strictEqual((yield* ask("/chain/tip", { verb: "DELETE" })).headers["allow"], "GET, HEAD")
      assert.strictEqual((yield* ask(`/blocks/${HASH}`)).json.error.details.rpc_code, -5)
    }))

  it.live("lets in whom RPC lets in, and administrators alone where a resource needs one", () =>
    Effect.gen(function*() {
      const { ask, rpc } = yield* testRest({ chain: fakeChain() })
      for (const headers of [{}, { authorization: bearer("normal-token") }]) {
        assert.strictEqual((yield* ask("/chain/height", { headers })).status, 200)
        const denied = yield* ask("/node/stop", { verb: "POST", headers })
        assert.deepStrictEqual([denied.status, denied.json.error.code], [403, "forbidden"])
        assert.strictEqual((yield* ask("/node/logging", { headers })).status, 403)
      }
      const wrong = yield* ask("/chain/height", { headers: { authorization: bearer("guess") } })
      assert.deepStrictEqual([wrong.status, wrong.json.error.code], [401, "unauthorized"])
      assert.isDefined(wrong.headers["www-authenticate"])
      assert.strictEqual(
        (yield* ask("/node/logging", { headers: { authorization: bearer("admin-token") } })).status,
        200
      )
      const stopped = yield* ask("/node/stop", { verb: "POST", headers: admin })
      assert.strictEqual(stopped.status, 200)
      assert.strictEqual((yield* rpc.shutdown.requested).reason, "rpc")
    }))

  it.live("wants credentials where RPC does", () =>
    Effect.gen(function*() {
      const { ask } = yield* testRest({ chain: fakeChain(), credentials: { required: true } })
      for (const path of ["/chain/height", "/openapi.json", "/nothing"]) {
        assert.strictEqual((yield* ask(path)).status, 401, path)
      }
      assert.strictEqual((yield* ask("/chain/height", { headers: admin })).status, 200)
    }))

  it.live("says that the node is starting until it has", () =>
    Effect.gen(function*() {
      const { ask, rpc } = yield* testRest({ chain: fakeChain() })
      yield* rpc.stage.set("Loading block index…")
      const early = yield* ask("/chain/height")
      assert.deepStrictEqual([early.status, early.json.error.message], [503, "Loading block index…"])
      assert.strictEqual(early.headers["retry-after"], "1")
      yield* rpc.stage.set(undefined)
      assert.strictEqual((yield* ask("/chain/height")).status, 200)
    }))

  it.live("answers with 304 what the client has", () =>
    Effect.gen(function*() {
      let state = STATE
      const { ask } = yield* testRest({ chain: fakeChain({}, () => state) })
      const tag = String((yield* ask("/chain/height")).headers["etag"])
      assert.match(tag, /^W\/"[0-9a-f]{32}"$/)
      for (const given of [tag, `"x", ${tag}`, "*"]) {
        const again = yield* ask("/chain/height", { headers: { "if-none-match": given } })
        assert.deepStrictEqual([again.status, again.bytes.length, again.headers["etag"]], [304, 0, tag])
      }
      state = { ...STATE, height: 400 }
      const changed = yield* ask("/chain/height", { headers: { "if-none-match": tag } })
      assert.deepStrictEqual([changed.status, changed.json.data.height], [200, 400])
    }))

  it.live("answers HEAD as GET, without the body", () =>
    Effect.gen(function*() {
      const { ask } = yield* testRest({ chain: fakeChain() })
      const [get, head] = [yield* ask("/chain/height"), yield* ask("/chain/height", { verb: "HEAD" })]
      assert.deepStrictEqual([head.status, head.bytes.length], [200, 0])
      assert.strictEqual(head.headers["etag"], get.headers["etag"])
    }))

  it.live("refuses forms that there are not, and bodies of other types", () =>
    Effect.gen(function*() {
      const { ask } = yield* testRest({ chain: fakeChain() })
      const pictures = yield* ask("/chain/height", { headers: { accept: "image/png" } })
      assert.deepStrictEqual([pictures.status, pictures.json.error.code], [406, "not_acceptable"])
      assert.strictEqual((yield* ask("/chain/height", { headers: { accept: "text/html,*/*;q=0.1" } })).status, 200)
      const post = (body: string, type = "application/json", path = "/transactions/decode") =>
        ask(path, { verb: "POST", body, headers: { "content-type": type, ...admin } })
      assert.strictEqual((yield* post("<x/>", "application/xml")).status, 415)
      assert.strictEqual((yield* post("00", "text/plain", "/chain/verify")).status, 415)
      for (const body of ["{", "[]", "null", "{\"more\":1}", "{\"hexstring\":1}", "{\"hexstring\":\"zz\"}", "{}", ""]) {
        assert.strictEqual((yield* post(body)).status, 400, body)
      }
    }))

  it.live("bounds what it takes in", () =>
    Effect.gen(function*() {
      const { ask } = yield* testRest({ chain: fakeChain(), limits: { maxRequestBytes: 2_000 } })
      const large = JSON.stringify({ checklevel: 1, pad: "x".repeat(3_000) })
      const answer = yield* ask("/chain/verify", { verb: "POST", body: large })
      assert.deepStrictEqual([answer.status, answer.json.error.code], [413, "too_large"])
      assert.strictEqual((yield* ask("/chain/height")).status, 200)
    }))

  it.live("has nothing beside its prefix", () =>
    Effect.gen(function*() {
      const { address } = yield* testRest({ chain: fakeChain() })
      for (const path of ["/", "/api/v1x", "/api/v2/chain/tip", "/health", "/chain/tip"]) {
        const { status } = yield* Effect.promise(() => fetch(`http://${address.host}:${address.port}${path}`))
        assert.strictEqual(status, 404, path)
      }
    }))
})
