import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { dumptxoutset } from "../../src/methods/dumptxoutset.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"
import { regtestServer } from "./regtest-server.ts"

const HEAD = 51

describe("dumptxoutset", () => {
  it.live("writes the coins of a block, also when the chain has gone on and has spent some of them", () =>
    Effect.gen(function*() {
      const { directory, show: call } = yield* regtestServer()
      const [first] = yield* call("generatetodescriptor", 101, "raw(51)")
      const [coinbase] = (yield* call("getblock", first)).tx
      const { bestblock, hash_serialized_3: setHash } = yield* call("gettxoutsetinfo")
      const latest = join(directory, "latest.dat")
      const expected = {
        coins_written: 101,
        base_hash: bestblock,
        base_height: 101,
        txoutset_hash: setHash,
        nchaintx: 102
      }
      assert.deepStrictEqual(yield* call("dumptxoutset", latest, "latest"), { ...expected, path: latest })
      const bytes = readFileSync(latest)
      assert.strictEqual(bytes.subarray(0, 11).toString("hex"), "7574786fff0200fabfb5da")
      assert.strictEqual(bytes.readBigUInt64LE(HEAD - 8), 101n)
      const raw = yield* call("createrawtransaction", [{ txid: coinbase, vout: 0 }], [{ data: "00" }])
      yield* call("generateblock", "raw(52)", [raw])
      const before = join(directory, "before.dat")
      const options = { rollback: 101 }
      assert.deepStrictEqual(yield* call("dumptxoutset", before, "", options), { ...expected, path: before })
      assert.isTrue(readFileSync(before).equals(bytes))
      assert.isFalse(existsSync(`${before}.incomplete`))
      assert.strictEqual(yield* call("getblockcount"), 102)
      const refusals: ReadonlyArray<readonly [params: ReadonlyArray<unknown>, message: string]> = [
        [
          [latest, "latest"],
          `${latest} already exists. If you are sure this is what you want, move it out of the way first`
        ],
        [["x", "foo"], "Invalid snapshot type \"foo\" specified. Please specify \"rollback\" or \"latest\""],
        [["x", "latest", options], "Invalid snapshot type \"latest\" specified with rollback option"],
        [["x"], "Invalid snapshot type \"\" specified. Please specify \"rollback\" or \"latest\""],
        [["x", "", { rollback: 103 }], "Target block height 103 after current tip 102"],
        [["x", "rollback", { rollback: -1 }], "Target block height -1 is negative"],
        [["x", "rollback"], "Target block height 299 after current tip 102"],
        [["none/x", "latest"], `Couldn't open file ${join(directory, "none/x.incomplete")} for writing.`]
      ]
      for (const [params, message] of refusals) {
        assert.deepStrictEqual(yield* call("dumptxoutset", ...params), { code: -8, message })
      }
      const unknown = yield* call("dumptxoutset", "x", "rollback", { rollback: "ab".repeat(32) })
      assert.deepStrictEqual(unknown, { code: -5, message: "Block not found" })
    }))

  it.effect("goes back to the last snapshot that Bitcoin Core loads on the network, unless asked otherwise", () =>
    Effect.gen(function*() {
      const heights = { mainnet: 935_000, testnet3: 4_840_000, testnet4: 120_000, signet: 290_000, regtest: 299 }
      for (const [name, height] of Object.entries(heights)) {
        const node = { network: { name }, chain: { state: () => ({ height: height - 1 }) } } as unknown as MethodNode
        const params = { path: "x", type: "rollback", options: undefined }
        const { message } = yield* Effect.flip(dumptxoutset.call(params as never, node))
        assert.strictEqual(message, `Target block height ${height} after current tip ${height - 1}`)
      }
    }))
})
