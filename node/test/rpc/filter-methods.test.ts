import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Chain } from "../../src/engine-client/chain.ts"
import type { EngineCallName, EngineCalls } from "../../src/engine/api/engine-calls.ts"
import { regtestServer } from "./regtest-server.ts"

const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
const GENESIS_SCRIPT =
  "4104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac"
/**
 * Hashes, in the filter of the genesis block of regtest, to the place of the script there; Bitcoin Core's tests
 * have it.
 */
const SEEMS = "001400000000000000000000000000000000000cadcb"

type Call = Chain["Service"]["call"]

/** The chain with every call for filters as `change` wants it. */
const withFilterCalls = (
  chain: Chain["Service"],
  change: (asked: EngineCalls["blockFilters"]["in"]) => Effect.Effect<EngineCalls["blockFilters"]["in"]>
): Chain["Service"] => {
  const call: Call = <N extends EngineCallName>(name: N, params: EngineCalls[N]["in"]) =>
    name === "blockFilters"
      ? Effect.flatMap(change(params as EngineCalls["blockFilters"]["in"]), (asked) =>
        chain.call(name, asked as EngineCalls[N]["in"]))
      : chain.call(name, params)
  return { ...chain, call }
}

const regtest = Effect.fnUntraced(function*(
  isIndexed: boolean,
  change: (asked: EngineCalls["blockFilters"]["in"]) => Effect.Effect<EngineCalls["blockFilters"]["in"]> =
    Effect.succeed
) {
  const { call } = yield* regtestServer({
    engine: { blockFilterIndex: isIndexed },
    chain: (chain) => withFilterCalls(chain, change)
  })
  return call
})

interface Scanned {
  readonly from_height: number
  readonly to_height: number
  readonly relevant_blocks: ReadonlyArray<string>
  readonly completed: boolean
}

describe("scans of blocks by their filters", () => {
  it.live("find what was paid and spent, piece by piece, and no more when they look into the blocks", () =>
    Effect.gen(function*() {
      const asked: Array<number> = []
      const call = yield* regtest(true, (params) =>
        Effect.sync(() => {
          asked.push(params.from)
          return { ...params, most: 7 }
        }))
      const genesis = (yield* call("getblockhash", 0)).result as string
      const paid = (yield* call("generatetoaddress", 10, ADDRESS)).result as ReadonlyArray<string>
      yield* call("generatetodescriptor", 10, "raw(51)")
      const scan = (...params: ReadonlyArray<unknown>) =>
        Effect.map(call("scanblocks", "start", ...params), ({ result }) => result as Scanned)
      const all = yield* scan([`addr(${ADDRESS})`])
      assert.deepStrictEqual(all, { from_height: 0, to_height: 20, relevant_blocks: paid, completed: true })
      assert.deepStrictEqual(asked, [0, 7, 14])
      const some = yield* scan([{ desc: `addr(${ADDRESS})` }], 3, 5)
      assert.deepStrictEqual(some, { from_height: 3, to_height: 5, relevant_blocks: paid.slice(2, 5), completed: true })

      const found = async (script: string, options?: object) =>
        (await Effect.runPromise(scan([`raw(${script})`], 0, 0, "basic", options))).relevant_blocks
      assert.deepStrictEqual(yield* Effect.promise(() => found(GENESIS_SCRIPT, { filter_false_positives: true })), [
        genesis
      ])
      assert.deepStrictEqual(yield* Effect.promise(() => found(SEEMS)), [genesis])
      assert.deepStrictEqual(yield* Effect.promise(() => found(SEEMS, { filter_false_positives: false })), [genesis])
      assert.deepStrictEqual(yield* Effect.promise(() => found(SEEMS, { filter_false_positives: true })), [])
      assert.deepStrictEqual((yield* scan(["raw(6a)"])).relevant_blocks, [])
    }))

  it.live("are made one at a time, and end early when they are aborted", () =>
    Effect.gen(function*() {
      const [arrived, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const call = yield* regtest(true, (params) =>
        Deferred.succeed(arrived, undefined).pipe(Effect.andThen(Deferred.await(released)), Effect.as(params)))
      yield* call("generatetoaddress", 5, ADDRESS)
      assert.deepStrictEqual([
        (yield* call("scanblocks", "status")).result,
        (yield* call("scanblocks", "abort")).result
      ], [null, false])
      const scan = yield* Effect.forkChild(call("scanblocks", "start", ["raw(51)"], 2), { startImmediately: true })
      yield* Deferred.await(arrived)
      assert.deepStrictEqual((yield* call("scanblocks", "status")).result, { progress: 0, current_height: 2 })
      const second = yield* call("scanblocks", "start", ["raw(51)"])
      assert.deepStrictEqual(second.error, {
        code: -8,
        message: "Scan already in progress, use action \"abort\" or \"status\""
      })
      assert.strictEqual((yield* call("scanblocks", "abort")).result, true)
      yield* Deferred.succeed(released, undefined)
      assert.deepStrictEqual((yield* Fiber.join(scan)).result, {
        from_height: 2,
        to_height: 2,
        relevant_blocks: [],
        completed: false
      })
      assert.strictEqual((yield* call("scanblocks", "status")).result, null)
      // A scan that fails is over as well.
      yield* call("scanblocks", "start", ["raw(x)"])
      assert.strictEqual((yield* call("scanblocks", "status")).result, null)
    }))

  it.live("say what is wrong with what they are asked for", () =>
    Effect.gen(function*() {
      const call = yield* regtest(true)
      const errors: ReadonlyArray<readonly [params: ReadonlyArray<unknown>, code: number, message: string]> = [
        [["foobar"], -8, "Invalid action 'foobar'"],
        [["start", ["raw(51)"], 0, 10, "extended"], -5, "Unknown filtertype"],
        [["start", ["raw(51)"], 100_000_000], -1, "Invalid start_height"],
        [["start", ["raw(51)"], -1], -1, "Invalid start_height"],
        [["start", ["raw(51)"], 0, 1], -1, "Invalid stop_height"],
        [["start", ["raw(51)"], 0, -1], -1, "Invalid stop_height"],
        [["start"], -1, "scanobjects argument is required for the start action"],
        [["start", ["raw(x)"]], -5, "Raw script is not hex"],
        [
          ["start", ["raw(51)"], 0, 0, "basic", { filter_false_positives: 1 }],
          -3,
          "JSON value of type number is not of expected type bool"
        ]
      ]
      for (const [params, code, message] of errors) {
        assert.deepStrictEqual((yield* call("scanblocks", ...params)).error, { code, message }, JSON.stringify(params))
      }
      const without = yield* regtest(false)
      const none = { code: -1, message: "Index is not enabled for filtertype basic" }
      assert.deepStrictEqual((yield* without("scanblocks", "start", ["raw(51)"])).error, none)
      assert.deepStrictEqual((yield* without("getblockfilter", "ab".repeat(32))).error, none)
      assert.deepStrictEqual((yield* without("getindexinfo")).result, {})
      const filter = yield* call("getblockfilter", (yield* call("getblockhash", 0)).result)
      assert.deepStrictEqual(filter.result, {
        filter: "014756c0",
        header: "485e301e4509d7f0d954bf5b529f3ecef68c5191fd0e635f775c1d0266dc5a2b"
      })
      assert.deepStrictEqual((yield* call("getindexinfo")).result, {
        "basic block filter index": { synced: true, best_block_height: 0 }
      })
    }))
})
