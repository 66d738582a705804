import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonMembers } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { ROUTES } from "../../src/rest/routes/table.ts"
import { freePort, startNode } from "../process/node-process.ts"
import { fits } from "../rpc/result-fits.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

/** Pay to anchor: it needs no signature. */
const ANCHOR = "bcrt1pfeesnyr2tx"
const OTHER = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"

const configuration = (directory: string, port: number): string => {
  const path = join(directory, "node.toml")
  const text = [
    `transport_preference = "tcponly"`,
    `[rest_api]`,
    `enabled = true`,
    `listen_addr = "127.0.0.1:${port}"`,
    `[rpc_auth]`,
    `admin_tokens = ["admin"]`,
    `[storage.indexing]`,
    `enable_address_index = true`,
    `enable_value_index = true`
  ].join("\n")
  writeFileSync(path, `${text}\n`, { mode: 0o600 })
  return path
}

/** Asks a resource; what it answers is as its description says. */
const asking = (port: number) => async (route: string, path = route) => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`)
  const text = await answer.text()
  assert.strictEqual(answer.status, 200, text)
  const { result } = ROUTES.find((each) => each.path === route)!
  assert.isTrue(fits(result, (readJson(text) as JsonMembers).get("data") ?? null), text)
  return JSON.parse(text)
}

describe("addresses over REST, from a node with its own process", () => {
  it.live("have what blocks and the mempool give them, also after a reorganization and after a kill", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const port = await freePort()
        const args = ["--config", configuration(directory, port), "--listen-addr", `127.0.0.1:${await freePort()}`]
        const node = await startNode(directory, { args, token: "admin" })
        const ask = asking(port)
        const of = (address: string) => ({
          balance: async () => (await ask("/addresses/{address}/balance", `/addresses/${address}/balance`)).data,
          transactions: async (query = "") =>
            (await ask("/addresses/{address}/transactions", `/addresses/${address}/transactions${query}`)).data,
          utxos: async (query = "") => await ask("/addresses/{address}/utxos", `/addresses/${address}/utxos${query}`)
        })
        const [anchor, other] = [of(ANCHOR), of(OTHER)]
        const hashes = await node.client.call("generatetoaddress", 101, ANCHOR) as ReadonlyArray<string>
        const { tx: [coinbase] } = await node.client.call("getblock", hashes[0]!) as { readonly tx: [string] }
        const raw = await node.client.call("createrawtransaction", [{ txid: coinbase, vout: 0 }], [
          { [OTHER]: 1.5 },
          { [ANCHOR]: 48.49999 }
        ])
        const txid = await node.client.call("sendrawtransaction", raw)

        assert.deepStrictEqual(await other.balance(), {
          address: OTHER,
          balance: 0,
          utxos: 0,
          height: 101,
          received: 0,
          sent: 0,
          transactions: 0,
          unconfirmed: { received: 1.5, sent: 0, transactions: 1 },
          unconfirmed_balance: 1.5
        })
        const waiting = await anchor.balance()
        assert.deepStrictEqual(waiting.unconfirmed, { received: 48.49999, sent: 50, transactions: 1 })
        assert.deepStrictEqual([waiting.balance, waiting.unconfirmed_balance, waiting.utxos], [5050, 5048.49999, 101])
        assert.deepStrictEqual(await other.transactions(), [{ txid, received: 1.5, sent: 0, confirmations: 0 }])
        const unconfirmed = { txid, vout: 0, value: 1.5, confirmations: 0, coinbase: false }
        assert.deepStrictEqual((await other.utxos()).data, [unconfirmed])
        assert.deepStrictEqual((await other.utxos("?include_mempool=false")).data, [])
        const page = (await anchor.utxos("?offset=100&limit=10")).meta.page
        assert.deepStrictEqual(page, { offset: 100, limit: 10, total: 101 })
        const inRange = async (query: string) => (await ask("/outputs", `/outputs?${query}`)).data
        assert.deepStrictEqual(await inRange("min_value=1&max_value=2"), [unconfirmed])
        assert.deepStrictEqual(await inRange("min_value=1&max_value=2&include_mempool=false"), [])

        const [blockhash] = await node.client.call("generatetoaddress", 1, OTHER) as [string]
        const confirmed = { ...unconfirmed, confirmations: 1, height: 102 }
        assert.deepStrictEqual(await inRange("max_value=2"), [confirmed])
        assert.deepStrictEqual((await other.transactions()).at(0), {
          txid,
          received: 1.5,
          sent: 0,
          confirmations: 1,
          height: 102,
          blockhash
        })
        assert.strictEqual((await other.balance()).balance, 51.50001)

        await node.client.call("invalidateblock", blockhash)
        const back = await anchor.balance()
        assert.deepStrictEqual(back, waiting)
        assert.deepStrictEqual((await other.utxos()).data, [unconfirmed])
        await node.client.call("reconsiderblock", blockhash)
        const before = [await other.balance(), await other.utxos(), await anchor.balance()].map((each) =>
          each.data ?? each
        )

        node.signal("SIGKILL")
        await node.ended
        node.client.close()
        const again = await startNode(directory, { args, token: "admin" })
        const after = [await other.balance(), await other.utxos(), await anchor.balance()].map((each) =>
          each.data ?? each
        )
        assert.deepStrictEqual(after, before)
        assert.deepStrictEqual(
          Object.keys(await again.client.call("getindexinfo") as object).toSorted(),
          ["addressindex", "valueindex"]
        )
        await again.client.call("stop")
        again.client.close()
        await again.ended
      })
    }))
})
