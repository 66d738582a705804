import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { coreRestLayer } from "../../src/core-rest/core-rest.ts"
import type { WorkQueue } from "../../src/http/work-queue.ts"
import { SharedRequests } from "../../src/http/shared-requests.ts"
import { fakeChain, STATE } from "../rpc/fake-chain.ts"
import { basic } from "../rpc/http-exchange.ts"
import { testServer } from "../rpc/test-server.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const hex = (byte: number): string => Buffer.from(hash(byte)).toString("hex")

const OUTPUT = { value: 5n, script: Uint8Array.of(0x51), confirmations: 3, isCoinbase: false, isSpent: false }

/** A server of RPC that wants credentials, with Bitcoin Core's REST on it; what it asks for memory is noted. */
const started = Effect.fnUntraced(function*(hold?: WorkQueue["hold"]) {
  const rpc = yield* testServer({
    directory: yield* temporaryDirectory,
    credentials: { required: true },
    chain: fakeChain({
      hashAt: ({ height }) => Effect.succeed(height === 1 ? hash(1) : undefined),
      outputs: ({ outpoints }) =>
        Effect.succeed({ tip: hash(2), outputs: outpoints.map(({ vout }) => vout === 3 ? OUTPUT : undefined) }),
      blockFacts: () => Effect.succeed(undefined)
    })
  })
  const { mount, requests } = Context.get(rpc.shared, SharedRequests)
  const queue = hold === undefined ? requests.queue : { ...requests.queue, hold, release: () => {} }
  const shared = Context.add(rpc.shared, SharedRequests, { mount, requests: { ...requests, queue } })
  yield* Layer.build(Layer.provide(coreRestLayer, Layer.succeedContext(shared)))
  const { host, port } = rpc.address
  const ask = (path: string, init: RequestInit = {}) =>
    Effect.promise(async () => {
      const answer = await fetch(`http://${host}:${port}${path}`, init)
      return [answer.status, answer.headers.get("content-type"), await answer.text()] as const
    })
  return { ask, rpc }
})

describe("Bitcoin Core's REST on the server of RPC", () => {
  it.live("needs no credentials below its prefix, where RPC needs them", () =>
    Effect.gen(function*() {
      const { ask } = yield* started()
      assert.deepStrictEqual(yield* ask("/rest/blockhashbyheight/1.hex"), [200, "text/plain", `${hex(1)}\n`])
      // Wrong ones are not looked at.
      assert.strictEqual(
        (yield* ask("/rest/blockhashbyheight/1.hex", { headers: { authorization: basic("u:guess") } }))[0],
        200
      )
      assert.strictEqual((yield* ask("/", { method: "POST", body: "{}" }))[0], 401)
      assert.strictEqual((yield* ask("/restless/blockhashbyheight/1.hex"))[0], 404)
    }))

  it.live("reads what is posted, and refuses other methods of HTTP", () =>
    Effect.gen(function*() {
      const { ask } = yield* started()
      const outpoints = Buffer.concat([Buffer.of(1), hash(0x22), Buffer.of(3, 0, 0, 0)])
      const [status, type, text] = yield* ask("/rest/getutxos.json", { method: "POST", body: outpoints })
      assert.deepStrictEqual([status, type, text], [400, "text/plain", "Error: empty request\r\n"])
      const found = yield* ask("/rest/getutxos.hex", { method: "POST", body: outpoints.toString("hex") })
      // The height of the tip, the tip, one bit that is set, and the output with its height.
      assert.deepStrictEqual(found, [
        200,
        "text/plain",
        `42010000${hex(2)}010101000000004001000005000000000000000151\n`
      ])
      assert.strictEqual((yield* ask("/rest/blockhashbyheight/1.hex", { method: "DELETE" }))[0], 405)
      assert.strictEqual((yield* ask("/rest/blockhashbyheight/1.hex", { method: "HEAD" }))[2], "")
    }))

  it.live("says that the node is starting until it has", () =>
    Effect.gen(function*() {
      const { ask, rpc } = yield* started()
      yield* rpc.stage.set("Loading block index…")
      const [status, , text] = yield* ask("/rest/blockhashbyheight/1.hex")
      assert.deepStrictEqual([status, text], [503, "Service temporarily unavailable: Loading block index…\r\n"])
    }))

  it.live("sets memory aside for what it answers, and refuses in Bitcoin Core's words where there is none", () =>
    Effect.gen(function*() {
      const asked: Array<number> = []
      const { ask } = yield* started((bytes) => {
        asked.push(bytes)
        return bytes < 60
      })
      assert.deepStrictEqual((yield* ask("/rest/blockhashbyheight/1.hex")).slice(0, 1), [503])
      assert.include(asked, 65)
      assert.strictEqual((yield* ask("/rest/blockhashbyheight/1.hex"))[2].trim(), "Work queue depth exceeded")
      // Less than that is answered.
      const [status, , text] = yield* ask(`/rest/blockhashbyheight/${STATE.height}.hex`)
      assert.deepStrictEqual([status, text], [404, "Block height out of range\r\n"])
      assert.include(asked, text.length)
    }))
})
