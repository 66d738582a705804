import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { hashOf, methodNode, shownHash } from "../method-node.ts"

describe("files of coins", () => {
  const dumped = { coins: 5, block: hashOf(9), height: 300, setHash: hashOf(8), transactions: 77 }

  it.effect("are written beside their place first, of the tip or of a block before it", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { calls, show, text } = methodNode({
        answers: {
          dumpCoins: () => dumped,
          blockFacts: ({ hash }) =>
            hash[0] === 9
              ? { height: 300, confirmations: 23 }
              : hash[0] === 8
              ? { height: 5, confirmations: 0 }
              : undefined
        },
        more: { dataDirectory: directory }
      })
      assert.deepStrictEqual(yield* show("dumptxoutset", "a", "latest"), {
        coins_written: 5,
        base_hash: shownHash(9),
        base_height: 300,
        path: `${directory}/a`,
        txoutset_hash: shownHash(8),
        nchaintx: 77
      })
      assert.deepStrictEqual([existsSync(`${directory}/a`), existsSync(`${directory}/a.incomplete`)], [true, false])
      yield* show("dumptxoutset", "b", "", { rollback: 7 })
      yield* show("dumptxoutset", "c", "rollback", { rollback: shownHash(9), in_memory: true })
      yield* show("dumptxoutset", `${directory}/d`, "rollback")
      const heights = calls.filter(([name]) => name === "dumpCoins").map(([, params]) => params)
      assert.deepStrictEqual(
        heights,
        [undefined, 7, 300, 299].map((height, i) => ({
          file: `${directory}/${"abcd"[i]}.incomplete`,
          height
        }))
      )
      const wrong: ReadonlyArray<readonly [ReadonlyArray<unknown>, string]> = [
        [
          ["a", "latest"],
          `-8 ${directory}/a already exists. If you are sure this is what you want, move it out of the way first`
        ],
        [["x/y", "latest"], `-8 Couldn't open file ${directory}/x/y.incomplete for writing.`],
        [["e"], "-8 Invalid snapshot type \"\" specified. Please specify \"rollback\" or \"latest\""],
        [["e", "latest", { rollback: 5 }], "-8 Invalid snapshot type \"latest\" specified with rollback option"],
        [["e", "", { rollback: shownHash(8) }], "-8 Block is not in main chain"],
        [["e", "", { rollback: 323 }], "-8 Target block height 323 after current tip 322"],
        [["e", "latest", { in_memory: 1 }], "-3 JSON value of type number is not of expected type bool"]
      ]
      for (const [params, message] of wrong) assert.strictEqual(yield* text("dumptxoutset", ...params), message)
    }))

  it.effect("are not of a block whose successors are pruned", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const at = (name: string, pruneHeight: number | undefined, params: object) =>
        methodNode({
          state: { pruned: true, pruneHeight },
          answers: { dumpCoins: () => dumped },
          more: { dataDirectory: directory }
        }).text("dumptxoutset", name, "", params)
      const pruned = "-1 Could not roll back to requested height since necessary block data is already pruned."
      assert.strictEqual(yield* at("a", 8, { rollback: 7 }), pruned)
      assert.match(yield* at("b", 7, { rollback: 7 }), /^\{/)
      assert.match(yield* at("c", undefined, { rollback: 0 }), /^\{/)
    }))

  it.effect("are read from the data directory; those of the mempool from where the node runs", () =>
    Effect.gen(function*() {
      const { calls, text } = methodNode({
        answers: { loadCoins: () => ({ block: hashOf(9), coins: 5, height: 300 }), importMempool: () => undefined },
        more: { dataDirectory: "/data" }
      })
      const loaded = `{"coins_loaded":5,"tip_hash":"${shownHash(9)}","base_height":300,"path":"/data/a"}`
      assert.strictEqual(yield* text("loadtxoutset", "a"), loaded)
      const flags = { use_current_time: false, apply_fee_delta_priority: true, apply_unbroadcast_set: true }
      for (const options of [[], [{ use_current_time: null }], [flags]]) {
        assert.strictEqual(yield* text("importmempool", "m.dat", ...options), "{}")
      }
      const choice = { file: resolve("m.dat"), usesCurrentTime: true, appliesDeltas: false, appliesUnbroadcast: false }
      const other = { ...choice, usesCurrentTime: false, appliesDeltas: true, appliesUnbroadcast: true }
      assert.deepStrictEqual(calls.map(([, params]) => params), [{ file: "/data/a" }, choice, choice, other])
      assert.match(yield* text("importmempool", "m.dat", { use_current_time: 1 }), /^-3 /)
      const early = methodNode({ state: { initialBlockDownload: true } })
      assert.match(
        yield* early.text("importmempool", "m.dat"),
        /^-10 Can only import the mempool after the block download/
      )
    }))
})
