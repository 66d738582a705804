import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { pool } from "../../src/engine/mempool/mempool-extension.ts"
import { DEFAULT_MEMPOOL_SETTINGS, type MempoolSettings } from "../../src/engine/options/settings.ts"
import { coinbaseAt, loose, mine, rawOf } from "../engine/mempool/loose-transactions.ts"
import { PLANTED_AT } from "../engine/planted-blocks.ts"
import { testEngine } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain, STATE } from "./fake-chain.ts"
import { asked } from "./mempool-server.ts"

const REWARD = 5_000_000_000n

const started = Effect.fnUntraced(function*(settings: Partial<MempoolSettings> = {}) {
  const directory = yield* temporaryDirectory
  const engine = yield* testEngine({
    directory,
    mockTime: PLANTED_AT,
    extensions: [pool],
    options: { mempool: { ...DEFAULT_MEMPOOL_SETTINGS, ...settings } }
  })
  return { directory, engine, ...(yield* asked({ chain: fakeChain(engine.handlers) })) }
})

type Started = Effect.Success<ReturnType<typeof started>>

const offer = Effect.fnUntraced(function*({ engine }: Started, height: number) {
  const tx = loose({ inputs: [yield* coinbaseAt(engine, height)], values: [REWARD - 10_000n] })
  const outcome = yield* engine.call("acceptTransaction", { bytes: rawOf(tx) })
  assert.strictEqual(outcome._tag, "Accepted")
  return { tx, feerate: outcome._tag === "Accepted" ? Math.floor(10_000_000 / outcome.virtualSize) : 0 }
})

describe("estimatesmartfee and estimaterawfee", () => {
  it.live("judge the target first, then what else is asked", () =>
    Effect.gen(function*() {
      const { error } = yield* started()
      const target = "-8 Invalid conf_target, must be between 1 and 1008"
      for (const wrong of [0, -1, 1_009]) {
        assert.strictEqual(yield* error("estimatesmartfee", wrong, "dear"), target)
        assert.strictEqual(yield* error("estimaterawfee", wrong, 2), target)
      }
      assert.strictEqual(
        yield* error("estimatesmartfee", 6, "dear"),
        "-8 Invalid estimate_mode parameter, must be one of: \"unset\", \"economical\", \"conservative\""
      )
      assert.strictEqual(yield* error("estimaterawfee", 6, 1.01), "-8 Invalid threshold")
      assert.strictEqual(yield* error("estimaterawfee", 6, -0.01), "-8 Invalid threshold")
      assert.include(yield* error("estimatesmartfee", "6"), "-3 ")
    }))

  it.live("say that too little is known, in any mode", () =>
    Effect.gen(function*() {
      const { result } = yield* started()
      const nothing = { errors: ["Insufficient data or no feerate found"], blocks: 0 }
      for (const mode of [null, "unset", "ECONOMICAL", "Conservative"]) {
        assert.deepStrictEqual(yield* result("estimatesmartfee", 6, mode), nothing)
      }
      const none = {
        errors: ["Insufficient data or no feerate found which meets threshold"],
        fail: { startrange: 0, endrange: 1e99, withintarget: 0, totalconfirmed: 0, inmempool: 0, leftmempool: 0 }
      }
      assert.deepStrictEqual(yield* result("estimaterawfee", 13), {
        medium: { decay: 0.9952, scale: 2, ...none },
        long: { decay: 0.99931, scale: 24, ...none }
      })
      assert.sameMembers(Object.keys(yield* result("estimaterawfee", 49)), ["long"])
    }))

  it.live("answer in BTC for 1,000 virtual bytes what blocks have shown", () =>
    Effect.gen(function*() {
      const node = yield* started()
      yield* mine(node.engine, 150)
      let known = 0
      for (let round = 0; round < 10; round++) {
        const all = yield* Effect.forEach([1, 2, 3, 4], (n) => offer(node, 4 * round + n))
        known = all[0]!.feerate
        yield* mine(node.engine, 1, all.map(({ tx }) => tx))
      }
      const expected = Number((known / 1e8).toFixed(8))
      assert.deepStrictEqual(yield* node.result("estimatesmartfee", 6), { feerate: expected, blocks: 4 })
      const { short } = yield* node.result("estimaterawfee", 2, 0.85)
      assert.deepStrictEqual([short.feerate, short.decay, short.scale], [expected, 0.962, 1])
      assert.strictEqual(short.pass.withintarget, 33.81)
      assert.include(yield* node.text("estimatesmartfee", [6]), `"feerate":0.${String(known).padStart(8, "0")}`)
    }))

  it.live("are not there without estimation", () =>
    Effect.gen(function*() {
      const { error } = yield* started({ estimatesFees: false })
      assert.strictEqual(yield* error("estimatesmartfee", 6), "-32603 Fee estimation disabled")
      assert.strictEqual(yield* error("estimaterawfee", 6), "-32603 Fee estimation disabled")
    }))
})

describe("savemempool and importmempool", () => {
  const LOADED = { loaded: true }

  const whenLoaded = ({ result }: Started): Effect.Effect<void> =>
    Effect.flatMap(
      result("getmempoolinfo"),
      ({ loaded }: typeof LOADED) =>
        loaded ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), whenLoaded({ result } as Started))
    )

  it.live("one writes what the other takes", () =>
    Effect.gen(function*() {
      const node = yield* started({ persists: false })
      yield* whenLoaded(node)
      yield* mine(node.engine, 110)
      yield* offer(node, 1)
      const { filename } = yield* node.result("savemempool")
      const other = yield* started({ persists: false })
      yield* whenLoaded(other)
      assert.strictEqual(
        yield* other.error("importmempool", filename),
        "-10 Can only import the mempool after the block download and sync is done."
      )
      yield* mine(other.engine, 1)
      assert.deepStrictEqual(yield* other.result("importmempool", filename), {})
      assert.deepStrictEqual(yield* node.result("importmempool", filename, { use_current_time: false }), {})
      assert.strictEqual((yield* node.result("getmempoolinfo")).size, 1)
      assert.strictEqual(
        yield* node.error("importmempool", `${filename}.none`),
        "-1 Unable to import mempool file, see debug log for details."
      )
      assert.strictEqual(
        yield* node.error("importmempool", filename, { use_current_time: 1 }),
        "-3 JSON value of type number is not of expected type bool"
      )
    }))

  it.live("while blocks are downloaded, what is asked for is not looked at", () =>
    Effect.gen(function*() {
      const { error } = yield* asked({ chain: fakeChain({}, () => ({ ...STATE, initialBlockDownload: true })) })
      const refusal = "-10 Can only import the mempool after the block download and sync is done."
      assert.strictEqual(yield* error("importmempool", "none", { use_current_time: 1 }), refusal)
      assert.include(yield* error("importmempool", 1), "-3 Wrong type passed")
    }))

  it.live("nothing is saved before the file of the last run has been read", () =>
    Effect.gen(function*() {
      const { error } = yield* asked({
        chain: fakeChain({ saveMempool: () => Effect.fail({ _tag: "MempoolNotLoaded" } as const) })
      })
      assert.strictEqual(yield* error("savemempool"), "-1 The mempool was not loaded yet")
      const full = yield* asked({
        chain: fakeChain({ saveMempool: () => Effect.fail({ _tag: "MempoolNotSaved", cause: "full" } as const) })
      })
      assert.strictEqual(yield* full.error("savemempool"), "-1 Unable to dump mempool to disk")
    }))
})
