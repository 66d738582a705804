import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { readJson } from "../../src/json/read-json.ts"
import { ROUTES } from "../../src/rest/routes/table.ts"
import { hexOf } from "../../src/hex.ts"
import { idOf, outputOf } from "../engine/mempool/loose-transactions.ts"
import { queryEngine } from "../engine/mempool/query-engine.ts"
import { coin, spend } from "../engine/txmempool/mempools.ts"
import { fakeChain } from "../rpc/fake-chain.ts"
import { basic, bearer } from "../rpc/http-exchange.ts"
import { fits } from "../rpc/result-fits.ts"
import { ask as askRpc } from "../rpc/rpc-client.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testRest } from "./rest-exchange.ts"

const admin = { authorization: basic("u:p") }
const UNKNOWN = "ab".repeat(32)

const shown = (tx: Transaction): string => Buffer.from(idOf(tx)).reverse().toString("hex")

/** A node whose mempool has a parent with a child, and 30 others that pay less. */
const started = Effect.gen(function*() {
  const { engine, enter } = yield* queryEngine()
  const parent = spend([coin(1)])
  const child = spend([outputOf(parent)], 1)
  const others = Array.from({ length: 30 }, (_, i) => spend([coin(i + 2)], i + 2))
  enter(parent, 9_000_000)
  enter(child, 8_000_000)
  for (const [i, tx] of others.entries()) enter(tx, 1_000 * (30 - i))
  const chain = fakeChain({ ...engine.handlers, indexes: () => Effect.succeed([]) })
  const { ask, rpc } = yield* testRest({ directory: yield* temporaryDirectory, chain })
  const data = (path: string) =>
    Effect.map(ask(path, { headers: admin }), ({ json, status }) => {
      assert.strictEqual(status, 200, JSON.stringify(json))
      return json.data
    })
  const result = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.map(Effect.promise(() => askRpc(rpc.address, method, params)), (answer) => answer.result as never)
  return { ask, child, data, others, parent, result }
})

describe("the mempool over REST", () => {
  it.live("is listed part by part, in mining order, with what is known of each if wanted", () =>
    Effect.gen(function*() {
      const { ask, child, data, others, parent, result } = yield* started
      const order = [parent, child, ...others].map(shown)
      const first = yield* ask("/mempool", { headers: admin })
      assert.deepStrictEqual(first.json.data, order.slice(0, 25))
      assert.deepStrictEqual(first.json.meta.page, { offset: 0, limit: 25, total: 32 })
      assert.deepStrictEqual(yield* data("/mempool?offset=30&limit=10"), order.slice(30))
      assert.deepStrictEqual(yield* data("/mempool?offset=99"), [])
      const verbose = yield* data("/mempool?limit=2&verbose=true")
      assert.deepStrictEqual(verbose, [
        { txid: shown(parent), ...(yield* result("getmempoolentry", shown(parent))) as object },
        { txid: shown(child), ...(yield* result("getmempoolentry", shown(child))) as object }
      ])
      const { result: schema } = ROUTES.find(({ path }) => path === "/mempool")!
      assert.isTrue(fits(schema, readJson(JSON.stringify(verbose))!))
      assert.isTrue(fits(schema, readJson(JSON.stringify(order))!))
    }))

  it.live("is what the methods of the RPC answer", () =>
    Effect.gen(function*() {
      const { child, data, parent, result } = yield* started
      const [above, below] = [shown(parent), shown(child)]
      const at = "/mempool/transactions"
      const same: ReadonlyArray<readonly [path: string, method: string, ...params: ReadonlyArray<unknown>]> = [
        ["/mempool/stats", "getmempoolinfo"],
        [`${at}/${above}`, "getmempoolentry", above],
        [`${at}/${below}/ancestors`, "getmempoolancestors", below],
        [`${at}/${below}/ancestors?verbose=true`, "getmempoolancestors", below, true],
        [`${at}/${above}/descendants`, "getmempooldescendants", above],
        [`${at}/${above}/descendants?verbose=true`, "getmempooldescendants", above, true]
      ]
      for (const [path, method, ...params] of same) {
        assert.deepStrictEqual(yield* data(path), yield* result(method, ...params), path)
      }
    }))

  it.live("has no transaction that is not there, and administrators alone prioritise", () =>
    Effect.gen(function*() {
      const { ask, parent, result } = yield* started
      for (const path of ["", "/ancestors", "/descendants"]) {
        const { json, status } = yield* ask(`/mempool/transactions/${UNKNOWN}${path}`, { headers: admin })
        assert.deepStrictEqual([status, json.error.message], [404, "Transaction not in mempool"], path)
      }
      const prioritise = (body: object, headers: Readonly<Record<string, string>>) =>
        ask(`/mempool/transactions/${shown(parent)}/priority`, {
          verb: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body)
        })
      const user = { authorization: bearer("normal-token") }
      assert.strictEqual((yield* prioritise({ fee_delta: 5 }, user)).status, 403)
      const done = yield* prioritise({ fee_delta: 5 }, admin)
      assert.deepStrictEqual([done.status, done.json.data], [200, { prioritised: true }])
      assert.strictEqual((yield* prioritise({ fee_delta: "5" }, admin)).status, 400)
      assert.strictEqual((yield* prioritise({}, admin)).status, 400)
      assert.deepStrictEqual(yield* result("getprioritisedtransactions"), {
        [shown(parent)]: { fee_delta: 5, in_mempool: true, modified_fee: 9_000_005 }
      })
    }))

  it.live("has its transactions found without an index, at a depth of nothing", () =>
    Effect.gen(function*() {
      const { ask, child, data, result } = yield* started
      const txid = shown(child)
      assert.deepStrictEqual(yield* data(`/transactions/${txid}`), yield* result("getrawtransaction", txid, 1))
      assert.deepStrictEqual(yield* data(`/transactions/${txid}/confirmations`), { txid, confirmations: 0 })
      const hex = yield* ask(`/transactions/${txid}`, { headers: { ...admin, accept: "text/plain" } })
      assert.strictEqual(hex.bytes.toString().trim(), hexOf(child.bytes))
      const missing = yield* ask(`/transactions/${UNKNOWN}`, { headers: admin })
      assert.deepStrictEqual([missing.status, missing.json.error.code], [501, "not_in_this_build"])
      assert.match(missing.json.error.message, /not in the mempool, and this node keeps no index of transactions/)
      const output = yield* data(`/transactions/${txid}/outputs/0`)
      assert.deepStrictEqual([output.confirmations, output.coinbase], [0, false])
    }))
})
