import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { HostPort } from "../../src/config/config.ts"
import type { JsonMembers } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { ROUTES } from "../../src/rest/routes/table.ts"
import { basic, exchange } from "../rpc/http-exchange.ts"
import { recordedChain, recordedChainWith } from "../rpc/recorded-chain.ts"
import { fits } from "../rpc/result-fits.ts"
import { hasVectors } from "../rpc/vectors.ts"
import { type Answered, testRest } from "./rest-exchange.ts"

const admin = { authorization: basic("u:p") }

/** What a method of the RPC answers, to hold a resource to. */
const rpcResult = (address: HostPort, method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(
    Effect.promise(() =>
      exchange(address, { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers: admin })
    ),
    ({ body }) => JSON.parse(body).result
  )

describe.runIf(hasVectors)("resources of the recorded chain", () => {
  it.live("are what RPC answers, in JSON, in bytes and in digits", () =>
    Effect.gen(function*() {
      const { chain, directory } = yield* recordedChain
      const { ask, rpc } = yield* testRest({ chain, directory })
      const result = (method: string, ...params: ReadonlyArray<unknown>) => rpcResult(rpc.address, method, ...params)
      const dataOf = (path: string) =>
        Effect.map(ask(path, { headers: admin }), ({ json, status }) => {
          assert.strictEqual(status, 200, path)
          return json.data
        })
      const height: number = yield* result("getblockcount")
      const hash: string = yield* result("getblockhash", height)
      const block = yield* result("getblock", hash, 2)
      const txid: string = block.tx.at(-1).txid

      const same: ReadonlyArray<readonly [path: string, method: string, ...params: ReadonlyArray<unknown>]> = [
        ["/chain/info", "getblockchaininfo"],
        ["/chain/tips", "getchaintips"],
        ["/chain/tx-stats?nblocks=10", "getchaintxstats", 10],
        ["/chain/deployments", "getdeploymentinfo"],
        ["/chain/utxo-set?hash_type=muhash&height=100", "gettxoutsetinfo", "muhash", 100],
        ["/indexes", "getindexinfo"],
        ["/indexes?index=txindex", "getindexinfo", "txindex"],
        [`/blocks/${hash}`, "getblock", hash, 1],
        [`/blocks/height/${height}`, "getblock", hash, 1],
        [`/blocks/${hash}/header`, "getblockheader", hash],
        [`/blocks/${hash}/stats`, "getblockstats", hash],
        [`/blocks/${hash}/stats?stats=txs,height`, "getblockstats", hash, ["txs", "height"]],
        [`/transactions/${txid}`, "getrawtransaction", txid, 1],
        [`/transactions/${txid}?prevouts=true`, "getrawtransaction", txid, 2],
        [`/transactions/${txid}?block=${hash}&prevouts=false`, "getrawtransaction", txid, 1, hash],
        [`/transactions/${block.tx[0].txid}/outputs/0`, "gettxout", block.tx[0].txid, 0],
        ["/mining/info", "getmininginfo"],
        ["/mining/block-template", "getblocktemplate", { rules: ["segwit"] }]
      ]
      for (const [path, method, ...params] of same) {
        assert.deepStrictEqual(yield* dataOf(path), yield* result(method, ...params), path)
      }
      // The figures differ from one call to the next.
      const memory = (yield* result("getmemoryinfo")).locked
      assert.deepStrictEqual(Object.keys((yield* dataOf("/node/memory")).locked), Object.keys(memory))
      assert.deepStrictEqual(yield* dataOf("/node/help?command=stop"), { text: yield* result("help", "stop") })
      const depth = { txid, blockhash: hash, confirmations: 1 }
      assert.deepStrictEqual(yield* dataOf(`/transactions/${txid}/confirmations`), depth)

      const bytes: ReadonlyArray<readonly [path: string, hex: string, isImmutable: boolean]> = [
        [`/blocks/${hash}`, yield* result("getblock", hash, 0), true],
        [`/blocks/height/${height}`, yield* result("getblock", hash, 0), false],
        [`/blocks/${hash}/header`, yield* result("getblockheader", hash, false), true],
        [`/transactions/${txid}`, yield* result("getrawtransaction", txid), false],
        [`/transactions/${txid}?prevouts=true`, yield* result("getrawtransaction", txid), false],
        [`/transactions/${txid}/proof`, yield* result("gettxoutproof", [txid]), false]
      ]
      for (const [path, hex, isImmutable] of bytes) {
        const binary = yield* ask(path, { headers: { accept: "application/octet-stream" } })
        assert.deepStrictEqual([binary.status, binary.bytes.toString("hex")], [200, hex], path)
        assert.strictEqual(binary.headers["content-type"], "application/octet-stream")
        assert.strictEqual(String(binary.headers["cache-control"]).includes("immutable"), isImmutable, path)
        const digits = yield* ask(path, { headers: { accept: "text/plain;q=0.9, application/json;q=0.5" } })
        assert.strictEqual(digits.bytes.toString(), `${hex}\n`, path)
        const tag = String(binary.headers["etag"])
        assert.notStrictEqual(tag, digits.headers["etag"])
        const again = yield* ask(path, { headers: { accept: "application/octet-stream", "if-none-match": tag } })
        assert.deepStrictEqual([again.status, again.bytes.length], [304, 0], path)
      }

      const tips: ReadonlyArray<{ readonly hash: string; readonly status: string }> = yield* result("getchaintips")
      for (
        const { hash: aside } of tips.filter(({ status }) => status === "valid-headers" || status === "invalid")
      ) {
        const { json, status } = yield* ask(`/blocks/${aside}/stats`)
        assert.deepStrictEqual([status, json.error.code], [404, "not_found"], aside)
      }
      for (
        const path of [
          `/transactions/${"0".repeat(64)}`,
          `/transactions/${txid}/outputs/99`,
          `/blocks/${"1".repeat(64)}`
        ]
      ) {
        assert.strictEqual((yield* ask(path)).status, 404, path)
      }
    }))

  it.live("that are lists come part by part, each once", () =>
    Effect.gen(function*() {
      const { chain, directory } = yield* recordedChain
      const { ask, rpc } = yield* testRest({ chain, directory })
      const height: number = yield* rpcResult(rpc.address, "getblockcount")
      const follow = Effect.fnUntraced(function*(first: string) {
        const all: Array<Record<string, unknown>> = []
        for (let path: string | undefined = first; path !== undefined;) {
          const { json }: Answered = yield* ask(path)
          const { offset, limit, total } = json.meta.page
          assert.strictEqual(offset, all.length)
          assert.strictEqual(json.data.length, Math.min(limit, total - offset))
          all.push(...json.data)
          path = json.links.next?.replace("/api/v1", "")
        }
        return all
      })
      const headers = yield* follow("/blocks?limit=100")
      assert.deepStrictEqual(headers.map((each) => each["height"]), Array.from({ length: height + 1 }, (_, i) => i))
      assert.deepStrictEqual(headers[7], yield* rpcResult(rpc.address, "getblockheader", headers[7]!["hash"]))
      assert.deepStrictEqual((yield* ask(`/blocks?offset=${height + 50}`)).json.data, [])

      const largest = headers.toSorted((a, b) => Number(b["nTx"]) - Number(a["nTx"]))[0]!
      const block = yield* rpcResult(rpc.address, "getblock", largest["hash"], 2)
      assert.isAbove(block.tx.length, 2)
      assert.deepStrictEqual(yield* follow(`/blocks/${block.hash}/transactions?limit=2`), block.tx)
      const shown = yield* rpcResult(rpc.address, "getblock", largest["hash"], 3)
      assert.deepStrictEqual(yield* follow(`/blocks/${block.hash}/transactions?limit=2&prevouts=true`), shown.tx)
      const second = (yield* ask(`/blocks/${block.hash}/transactions?offset=2&limit=1`)).json.links
      assert.strictEqual(second.prev, `/api/v1/blocks/${block.hash}/transactions?offset=1&limit=1`)
    }))

  it.live("hold what their document says", () =>
    Effect.gen(function*() {
      const { chain, directory } = yield* recordedChainWith({ addressIndex: true, valueIndex: true })
      const { ask, rpc } = yield* testRest({ chain, directory })
      const hash: string = yield* rpcResult(rpc.address, "getbestblockhash")
      const { tx: [txid] } = yield* rpcResult(rpc.address, "getblock", hash)
      const address = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
      const values: Readonly<Record<string, string>> = { hash, txid, n: "0", height: "3", address }
      // This chain has neither neighbours nor an index of filters, and its transactions have left the mempool.
      const isElsewhere = (path: string): boolean =>
        path.startsWith("/network/") || path.startsWith("/mempool/transactions/") || path.endsWith("/filter")
      for (const route of ROUTES.filter(({ path, verb }) => verb === "GET" && !isElsewhere(path))) {
        const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]!)
        const answer = yield* ask(path, { headers: admin })
        assert.strictEqual(answer.status, 200, path)
        const envelope = readJson(answer.bytes.toString()) as JsonMembers
        assert.isTrue(fits(route.result, envelope.get("data")!), path)
      }
    }))

  it.live("change by what administrators post", () =>
    Effect.gen(function*() {
      const { chain, directory } = yield* recordedChain
      const { ask, rpc } = yield* testRest({ chain, directory })
      const post = (path: string, body: string | Uint8Array = "", type = "application/json") =>
        ask(path, { verb: "POST", body, headers: { ...admin, "content-type": type } })
      const tip = yield* rpcResult(rpc.address, "getbestblockhash")
      const bytes = (yield* ask(`/blocks/${tip}`, { headers: { accept: "application/octet-stream" } })).bytes

      const left = yield* post(`/blocks/${tip}/invalidate`)
      assert.deepStrictEqual([left.status, left.json.data], [200, { hash: tip }])
      assert.notStrictEqual((yield* ask("/chain/tip")).json.data.hash, tip)
      assert.strictEqual((yield* post(`/blocks/${tip}/reconsider`)).status, 200)
      assert.strictEqual((yield* ask("/chain/tip")).json.data.hash, tip)
      assert.strictEqual((yield* post(`/blocks/${"1".repeat(64)}/invalidate`)).status, 404)

      for (
        const [body, type] of [[bytes, "application/octet-stream"], [bytes.toString("hex"), "text/plain"]] as const
      ) {
        const again = yield* post("/mining/blocks", body, type)
        assert.deepStrictEqual([again.status, again.json.error.code], [422, "rejected"])
        assert.match(again.json.error.message, /duplicate/)
      }
      assert.strictEqual((yield* post("/mining/blocks", JSON.stringify({ hexdata: "00" }))).status, 400)
      const denied = yield* ask("/mining/blocks", {
        verb: "POST",
        body: bytes,
        headers: { "content-type": "application/octet-stream" }
      })
      assert.strictEqual(denied.status, 403)

      assert.deepStrictEqual(
        (yield* post("/chain/verify", JSON.stringify({ checklevel: 1, numblocks: 3 }))).json.data,
        { valid: true }
      )
      const unset = yield* post("/chain/prune", JSON.stringify({ height: 1 }))
      assert.deepStrictEqual([unset.status, unset.json.error.code], [409, "conflict"])
      const made = yield* post("/transactions/create", JSON.stringify({ inputs: [], outputs: [{ data: "00" }] }))
      const decoded = yield* post("/transactions/decode", made.json.data.hex, "text/plain")
      assert.deepStrictEqual(
        decoded.json.data,
        yield* rpcResult(rpc.address, "decoderawtransaction", made.json.data.hex)
      )
    }))
})
