import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { METHODS } from "../../src/methods/table.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { bearer, exchange } from "./http-exchange.ts"
import { testServer } from "./test-server.ts"

/**
 * Methods for administrators alone: those that change the chain, the network or the node, and those that make it work
 * for a miner. A method that enters or leaves this list does so here, on purpose.
 */
const ADMIN: ReadonlyArray<string> = [
  "abortprivatebroadcast",
  "addconnection",
  "addnode",
  "addpeeraddress",
  "clearbanned",
  "disconnectnode",
  "dumptxoutset",
  "exportasmap",
  "generateblock",
  "generatetoaddress",
  "generatetodescriptor",
  "getblockfrompeer",
  "getblocktemplate",
  "getprivatebroadcastinfo",
  "importmempool",
  "invalidateblock",
  "loadmodule",
  "loadtxoutset",
  "logging",
  "mockscheduler",
  "ping",
  "preciousblock",
  "prioritisetransaction",
  "pruneblockchain",
  "reconsiderblock",
  "reloadmodule",
  "runmodulecli",
  "savemempool",
  "sendmsgtopeer",
  "sendrawtransaction",
  "setban",
  "setmocktime",
  "setnetworkactive",
  "stop",
  "submitblock",
  "submitheader",
  "submitpackage",
  "syncwithvalidationinterfacequeue",
  "unloadmodule"
]

describe("privileges of RPC methods", () => {
  it("administrators alone may call the methods of this list, and any user all others", () => {
    const found = [...METHODS.values()].filter(({ privilege }) => privilege === "admin").map(({ name }) => name)
    assert.deepStrictEqual(found.toSorted(), ADMIN)
    for (const { name, privilege } of METHODS.values()) assert.include(["admin", "anyone"], privilege, name)
  })

  it("no method that may change something is open to every user: its name says what it does", () => {
    const changing =
      /^(add|clear|disconnect|generate|import|invalidate|load|precious|prune|reconsider|save|send|set|stop|submit|abort|dump)/
    const open = [...METHODS.values()].filter(({ privilege }) => privilege === "anyone").map(({ name }) => name)
    assert.deepStrictEqual(open.filter((name) => changing.test(name)), [])
  })

  it.live("a caller without the privilege is refused each of them, and nothing is done", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      for (const method of ADMIN) {
        for (const headers of [{ authorization: bearer("normal-token") }, {}]) {
          const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] })
          const answer = yield* Effect.promise(() => exchange(address, { headers, body }))
          assert.strictEqual(answer.status, 403, method)
          assert.strictEqual(
            answer.body,
            `{"error":{"code":403,"message":"Method '${method}' requires admin privileges"}}\n`
          )
        }
      }
      const still = yield* Effect.promise(() =>
        exchange(address, { body: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"uptime\"}" })
      )
      assert.strictEqual(still.status, 200, "`stop` was refused too")
    }))
})
