import { assert, describe, it } from "@effect/vitest"
import { decodeBlock, type Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { startChain } from "../../src/engine-client/start-chain.ts"
import { METHODS } from "../../src/methods/table.ts"
import { ROUTES } from "../../src/rest/routes/table.ts"
import { idOf, loose, mine, outputOf } from "../engine/mempool/loose-transactions.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { basic, bearer } from "../rpc/http-exchange.ts"
import { readJson } from "../../src/json/read-json.ts"
import { fits } from "../rpc/result-fits.ts"
import { ask as askRpc } from "../rpc/rpc-client.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testRest } from "./rest-exchange.ts"

const REWARD = 5_000_000_000n
const admin = { authorization: basic("u:p") }
const user = { authorization: bearer("normal-token") }

const hexOf = ({ bytes }: Transaction): string => Buffer.from(bytes).toString("hex")
const displayed = (tx: Transaction): string => Buffer.from(idOf(tx)).reverse().toString("hex")

/** A node on regtest with coinbases to spend, asked over REST and RPC. */
const started = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const chain = yield* startChain(regtestOptions(directory))
  yield* chain.ready
  const { ask, rpc } = yield* testRest({ directory, chain })
  const call = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.promise(() => askRpc(rpc.address, method, params))
  const { hashes } = yield* mine(chain, 103)
  const coinbases: Array<Transaction> = []
  for (const hash of hashes.slice(0, 3)) {
    const { result } = yield* call("getblock", Buffer.from(hash).reverse().toString("hex"), 0)
    coinbases.push(Result.getOrThrow(decodeBlock(new Uint8Array(Buffer.from(String(result), "hex")))).transactions[0]!)
  }
  const post = (
    path: string,
    body: string | Uint8Array | object,
    headers: Readonly<Record<string, string>> = admin
  ) => {
    const isJson = typeof body === "object" && !(body instanceof Uint8Array)
    const type = isJson ? "application/json" : typeof body === "string" ? "text/plain" : "application/octet-stream"
    const sent = isJson ? JSON.stringify(body) : body
    return ask(path, { verb: "POST", body: sent, headers: { "content-type": type, ...headers } })
  }
  return { call, chain, coinbases, post }
})

describe("transactions over REST", () => {
  it.live(
    "are sent as JSON, bytes or digits, by administrators, and refused with a status that says how",
    () =>
      Effect.gen(function*() {
        const { call, chain, coinbases, post } = yield* started
        const [first, second, third] = coinbases.map((coinbase) =>
          loose({ inputs: [outputOf(coinbase)], values: [REWARD - 1_000n] })
        )
        assert.strictEqual((yield* post("/transactions", { hexstring: hexOf(first!) }, user)).status, 403)
        const sent = yield* post("/transactions", { hexstring: hexOf(first!) })
        assert.deepStrictEqual([sent.status, sent.json.data], [200, { txid: displayed(first!) }])
        assert.strictEqual((yield* post("/transactions", second!.bytes)).json.data.txid, displayed(second!))
        assert.strictEqual((yield* post("/transactions", `${hexOf(third!)}\n`)).json.data.txid, displayed(third!))
        const waiting = [first!, second!, third!].map(displayed)
        assert.sameMembers((yield* call("getrawmempool")).result as Array<string>, waiting)

        const refusals: ReadonlyArray<readonly [status: number, code: string, message: RegExp, body: object | string]> =
          [
            [400, "bad_request", /TX decode failed/, "00zz"],
            [400, "bad_request", /no member hexstring/, {}],
            [400, "bad_request", /no member more/, { more: 1 }],
            [400, "bad_request", /Fee rates larger/, { hexstring: hexOf(first!), maxfeerate: 2 }],
            [
              422,
              "rejected",
              /^bad-txns-inputs-missingorspent$/,
              hexOf(loose({ inputs: [outputOf(first!, 7)], values: [1_000n] }))
            ],
            [
              422,
              "rejected",
              /^insufficient fee, rejecting replacement [0-9a-f]{64}, less fees than conflicting txs; 0.000005 < 0.00001$/,
              hexOf(loose({ inputs: [outputOf(coinbases[0]!)], values: [REWARD - 500n] }))
            ],
            [422, "rejected", /^Fee exceeds maximum/, hexOf(loose({ inputs: [outputOf(first!)], values: [1_000n] }))]
          ]
        for (const [status, code, message, body] of refusals) {
          const { json, status: found } = yield* post("/transactions", body)
          assert.deepStrictEqual([found, json.error.code], [status, code], JSON.stringify(body))
          assert.match(json.error.message, message)
        }
        yield* mine(chain, 1, [first!, second!, third!])
        const confirmed = yield* post("/transactions", { hexstring: hexOf(first!) })
        assert.deepStrictEqual([confirmed.status, confirmed.json.error.code], [409, "conflict"])
      })
  )

  it.live("are tested without a trace, over REST and by testmempoolaccept alike", () =>
    Effect.gen(function*() {
      const { call, chain, coinbases, post } = yield* started
      const inputs = [outputOf(coinbases[0]!)]
      const good = loose({ inputs, values: [REWARD - 1_000n] })
      const rich = loose({ inputs, values: [1_000n] })
      const size = good.bytes.length
      const isDescribed = (data: unknown): boolean =>
        fits(ROUTES.find(({ path }) => path === "/transactions/test")!.result, readJson(JSON.stringify(data))!)
      const tested = Effect.fnUntraced(function*(tx: Transaction, more: object = {}) {
        const { json, status } = yield* post("/transactions/test", { hexstring: hexOf(tx), ...more }, {})
        assert.strictEqual(status, 200, JSON.stringify(json))
        const { result } = yield* call("testmempoolaccept", [hexOf(tx)], ...Object.values(more))
        assert.deepStrictEqual([json.data], result as ReadonlyArray<unknown>)
        assert.isTrue(fits(METHODS.get("testmempoolaccept")!.result.ast, readJson(JSON.stringify(result))!))
        assert.isTrue(isDescribed(json.data))
        const { txid, wtxid, ...verdict } = json.data
        assert.deepStrictEqual([txid, wtxid], [displayed(tx), displayed(tx)])
        return verdict
      })
      const id = displayed(good)
      const accepted = {
        allowed: true,
        vsize: size,
        fees: {
          base: 0.000_01,
          "effective-feerate": Math.floor(1_000_000 / size) / 1e8,
          "effective-includes": [id]
        }
      }
      assert.deepStrictEqual(yield* tested(good), accepted)
      assert.deepStrictEqual((yield* call("getrawmempool")).result, [])
      assert.deepStrictEqual(yield* tested(rich), { allowed: false, "reject-reason": "max-fee-exceeded" })
      assert.strictEqual((yield* tested(rich, { maxfeerate: 0 })).allowed, true)
      const refused = (reason: string, details = reason) => ({
        allowed: false,
        "reject-reason": reason,
        "reject-details": details
      })
      assert.deepStrictEqual(yield* tested(loose({ inputs: [outputOf(good)], values: [1_000n] })), {
        allowed: false,
        "reject-reason": "missing-inputs"
      })
      assert.deepStrictEqual(yield* tested(loose({ inputs, values: [REWARD - 1n] })), {
        ...refused("min relay fee not met", `min relay fee not met, 1 < ${Math.ceil(size / 10)}`)
      })
      assert.deepStrictEqual(
        yield* tested(loose({ inputs, values: [REWARD - 1_000n], version: 4 })),
        refused("version")
      )
      assert.isUndefined((yield* call("sendrawtransaction", hexOf(good))).error)
      assert.deepStrictEqual(yield* tested(good), refused("txn-already-in-mempool"))
      assert.strictEqual((yield* tested(loose({ inputs, values: [REWARD - 5_000n] }))).allowed, true)
      yield* mine(chain, 1, [good])
      assert.deepStrictEqual(yield* tested(good), refused("txn-already-known"))

      assert.strictEqual((yield* post("/transactions/test", good.bytes, {})).json.data.txid, id)
      assert.strictEqual((yield* post("/transactions/test", hexOf(good), {})).json.data.txid, id)
      assert.strictEqual((yield* post("/transactions/test", { hexstring: [] }, {})).status, 400)
      const wrong: ReadonlyArray<readonly [params: ReadonlyArray<unknown>, code: number, message: string]> = [
        [[[]], -8, "Array must contain between 1 and 25 transactions."],
        [[Array.from({ length: 26 }, () => "00")], -8, "Array must contain between 1 and 25 transactions."],
        [[["00"]], -22, "TX decode failed: 00 Make sure the tx has at least one input."],
        [[["00"], 1], -8, "Fee rates larger than or equal to 1BTC/kvB are not accepted"],
        [[[5]], -3, "JSON value of type number is not of expected type string"]
      ]
      for (const [params, code, message] of wrong) {
        assert.deepStrictEqual(
          (yield* call("testmempoolaccept", ...params)).error,
          { code, message },
          JSON.stringify(params).slice(0, 80)
        )
      }
    }))
})
