import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import type { BlockFacts } from "../../src/engine/api/chain-calls.ts"
import { problemOf } from "../../src/rest/rest-problem.ts"
import { callError } from "../../src/queries/call-error.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { ask } from "./rpc-client.ts"
import { regtestServer } from "./regtest-server.ts"
import { testServer } from "./test-server.ts"

const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
const NOT_FOUND = { code: -1, message: "Block not found on disk" }

describe("a block whose file is gone", () => {
  it.live(
    "is not said to be pruned by a node that prunes nothing, and is answered once the file is back",
    () =>
      Effect.gen(function*() {
        const { call, directory } = yield* regtestServer()
        const [hash] = (yield* call("generatetoaddress", 2, ADDRESS)).result as ReadonlyArray<string>
        const { tx: [txid] } = (yield* call("getblock", hash)).result as { readonly tx: ReadonlyArray<string> }
        const path = join(directory, "blocks", "blk00000.dat")
        assert.isTrue(existsSync(path))
        renameSync(path, `${path}.away`)
        const calls: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>]> = [
          ["getblock", [hash, 0]],
          ["getblock", [hash, 1]],
          ["getblock", [hash, 3]],
          ["getblockstats", [1]],
          ["getrawtransaction", [txid, 1, hash]],
          ["gettxoutproof", [[txid], hash]]
        ]
        for (const [method, params] of calls) {
          assert.deepStrictEqual(
            (yield* call(method, ...params)).error,
            NOT_FOUND,
            `${method} ${JSON.stringify(params)}`
          )
        }
        renameSync(`${path}.away`, path)
        for (const [method, params] of calls) assert.isUndefined((yield* call(method, ...params)).error, method)
      })
  )

  it.live("is said to be pruned when it was pruned between finding and reading it", () =>
    Effect.gen(function*() {
      const facts = {
        hash: new Uint8Array(32).fill(7),
        header: new Uint8Array(80),
        height: 1,
        confirmations: 1,
        block: { file: 0, offset: 8, size: 100 },
        pruned: false
      } as unknown as BlockFacts
      for (const later of [{ ...facts, block: undefined, pruned: true }, undefined]) {
        let asked = 0
        const chain = fakeChain({ blockFacts: () => Effect.succeed(asked++ === 0 ? facts : later) })
        const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain })
        const { error } = yield* Effect.promise(() => ask(address, "getblock", ["07".repeat(32)]))
        assert.deepStrictEqual(
          error,
          later === undefined ? NOT_FOUND : { code: -1, message: "Block not available (pruned data)" }
        )
      }
    }))

  it("is the server's fault over REST", () => {
    const { message } = NOT_FOUND
    assert.strictEqual(problemOf(callError("BlockUnreadable", message)).status, 500)
    assert.strictEqual(
      problemOf(callError("BlockNotAvailable", "Block not available (pruned data)")).status,
      404
    )
  })
})
