import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { HostPort } from "../../src/config/config.ts"
import { readBody } from "../../src/json/read-body.ts"
import { dispatch, type CallTarget } from "../../src/rpc/dispatch/dispatch.ts"
import { METHODS } from "../../src/methods/table.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { basic, exchange } from "./http-exchange.ts"
import { testServer } from "./test-server.ts"

const NOTIFICATION = "{\"jsonrpc\":\"2.0\",\"method\":\"getblockcount\"}"
const COUNT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getblockcount\"}"

/** Notifications that are no valid requests, each wrong in its own way. */
const INVALID: ReadonlyArray<string> = [
  "{\"jsonrpc\":\"2.0\"}",
  "{\"jsonrpc\":\"2.0\",\"method\":5}",
  "{\"jsonrpc\":\"2.0\",\"method\":\"getblockcount\",\"params\":5}",
  "{\"jsonrpc\":\"2.0\",\"method\":\"nothing\"}"
]

const sent = (address: HostPort, body: string) =>
  Effect.promise(() => exchange(address, { body, headers: { authorization: basic("u:p") } }))

describe("a batch", () => {
  it.live("has no answer to a notification, also where that is invalid", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      for (const invalid of INVALID) {
        const alone = yield* sent(address, `[${invalid}]`)
        assert.deepStrictEqual([alone.status, alone.body], [204, ""], invalid)
        const beside = yield* sent(address, `[${invalid},${COUNT},${NOTIFICATION}]`)
        assert.deepStrictEqual(
          [beside.status, beside.body],
          [200, "[{\"jsonrpc\":\"2.0\",\"result\":322,\"id\":1}]\n"],
          invalid
        )
      }
      const silent = yield* sent(address, `[${[NOTIFICATION, ...INVALID].join(",")}]`)
      assert.deepStrictEqual([silent.status, silent.body], [204, ""])
      const empty = yield* sent(address, "[]")
      assert.deepStrictEqual([empty.status, empty.body], [200, "[]\n"])
    }))

  it.live("answers invalid requests of other versions, which have no notifications", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const missing = "{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"Missing method\"}}"
      assert.deepStrictEqual((yield* sent(address, "[{}]")).body, `[${missing}]\n`)
      const answers = yield* sent(address, "[{\"jsonrpc\":\"2.1\"},5]")
      assert.deepStrictEqual(
        (JSON.parse(answers.body) as ReadonlyArray<{ readonly error: { readonly message: string } }>).map(({ error }) =>
          error.message
        ),
        ["JSON-RPC version not supported", "Invalid Request object"]
      )
    }))

  it.live("answers what is no object as the member before it", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const refusal = "\"error\":{\"code\":-32600,\"message\":\"Invalid Request object\"}"
      const ofFirst = `{"result":null,${refusal},"id":null}`
      const lastOf = (body: string): string => {
        const answers = JSON.parse(body) as ReadonlyArray<unknown>
        return JSON.stringify(answers.at(-1))
      }
      const last = (members: string) => Effect.map(sent(address, members), ({ body }) => lastOf(body))
      assert.strictEqual(yield* last("[5]"), ofFirst)
      assert.strictEqual(yield* last("[5,null]"), ofFirst)
      assert.strictEqual(yield* last("[{\"id\":7},5]"), `{"result":null,${refusal},"id":7}`)
      assert.strictEqual(yield* last("[{\"method\":\"x\"},5]"), `{"result":null,${refusal}}`)
      assert.strictEqual(yield* last(`[${COUNT},5]`), `{"jsonrpc":"2.0",${refusal},"id":1}`)
      // As a notification it has no answer.
      assert.strictEqual((yield* sent(address, `[${NOTIFICATION},5]`)).status, 204)
    }))

  it.effect("has no answer to a notification either when there is no memory for answers", () =>
    Effect.gen(function*() {
      const target: CallTarget = {
        methods: METHODS,
        node: () => ({ chain: { state: () => ({ height: 1 }) } }) as unknown as MethodNode
      }
      const body = readBody(Buffer.from(`[${COUNT},${NOTIFICATION},${INVALID[0]},${COUNT}]`))
      const answer = yield* dispatch(body, target, () => false)
      const replies = JSON.parse(String(answer.body)) as ReadonlyArray<Readonly<Record<string, unknown>>>
      assert.deepStrictEqual(replies.map((each) => Object.keys(each)), [["jsonrpc", "result", "id"], [
        "jsonrpc",
        "error",
        "id"
      ]])
    }))
})
