import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startChain } from "../../src/engine-client/start-chain.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { mine } from "../engine/mempool/loose-transactions.ts"
import { basic, bearer } from "../rpc/http-exchange.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testRest } from "./rest-exchange.ts"

const admin = { authorization: basic("u:p") }

describe("fees and the mempool's file over REST", () => {
  it.live("estimates for six blocks, or for as many as are asked for; the mempool is saved by administrators", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const chain = yield* startChain(regtestOptions(directory))
      yield* chain.ready
      yield* mine(chain, 1)
      const { ask } = yield* testRest({ directory, chain })
      const nothing = { errors: ["Insufficient data or no feerate found"], blocks: 0 }
      for (const path of ["/fees/estimate", "/fees/estimate?blocks=2", "/fees/estimate?blocks=6&mode=conservative"]) {
        const { json, status } = yield* ask(path)
        assert.deepStrictEqual([status, json?.data], [200, nothing], path)
      }
      for (const path of ["/fees/estimate?blocks=0", "/fees/estimate?blocks=1009", "/fees/estimate?mode=dear"]) {
        assert.strictEqual((yield* ask(path)).status, 400, path)
      }
      const user = { authorization: bearer("normal-token") }
      assert.strictEqual((yield* ask("/mempool/save", { verb: "POST", headers: user })).status, 403)
      const saved = yield* ask("/mempool/save", { verb: "POST", headers: admin })
      assert.strictEqual(saved.status, 200)
      assert.include(saved.json?.data.filename, "mempool.dat")
    }))
})
