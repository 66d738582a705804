import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { connectHistorical } from "../../../src/engine/snapshot/background-validation.ts"
import type { Snapshot } from "../../../src/engine/state/snapshot.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { coinbaseAt, loose, mine } from "../mempool/loose-transactions.ts"
import { testEngine } from "../test-engine.ts"

const MINED = 1_750_000_000
/** The first block that can spend, behind one that spends nothing. */
const SPENDING = 102

describe("the chain behind a snapshot", () => {
  it.live("has the scripts of each block verified that spends, and connects no further than the snapshot", () =>
    Effect.gen(function*() {
      const full = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: MINED })
      yield* mine(full, SPENDING - 1)
      yield* mine(full, 1, [loose({ inputs: [yield* coinbaseAt(full, 1)], values: [1_000_000n] })])
      const at = (height: number) => activeAt(full.chain.tree, height)!
      // Another node is two blocks behind: its coins are those of the chain in the background.
      const behind = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: MINED })
      for (let height = 1; height < SPENDING - 1; height++) {
        yield* behind.call("submitBlock", { bytes: (yield* loadBlock(full.chain, at(height))).block.bytes.slice() })
      }
      const background = { tip: at(SPENDING - 2), coins: behind.chain.coins }
      let reached = 0
      const judged: Array<number> = []
      const snapshot = { base: at(SPENDING), background, whenReached: () => void reached++ } as unknown as Snapshot
      const { verifiedScripts } = behind.chain
      let elapsed = 5_000
      const clock = { ...full.chain.clock, elapsed: () => elapsed }
      const pool: ChainEngine["pool"] = {
        ...full.chain.pool,
        judge: (block, collected) => {
          judged.push(collected.jobs.length)
          elapsed += 40
          return full.chain.pool.judge(block, collected)
        }
      }
      const engine: ChainEngine = { ...full.chain, snapshot, pool, clock, verifiedScripts, pendingNotifications: [] }
      const verdicts: Array<unknown> = []
      const { recent } = full.chain
      recent.put(at(SPENDING).index, yield* loadBlock(full.chain, at(SPENDING)))
      const next = connectHistorical(engine, (_node, rejection) => verdicts.push(rejection))
      assert.isTrue(yield* next)
      assert.deepStrictEqual([judged, reached], [[], 0], "a block of a coinbase alone has nothing to verify")
      assert.isTrue(yield* next)
      assert.deepStrictEqual([judged, reached], [[1], 1])
      assert.strictEqual(background.tip, at(SPENDING))
      assert.isUndefined(recent.get(at(SPENDING).index), "memory is for blocks that are still to be connected")
      assert.isFalse(yield* next)
      assert.deepStrictEqual(verdicts, [undefined, undefined])
      const durations = engine.pendingNotifications.map((each) => {
        const { payload, type } = each._tag === "Event" ? each.event : assert.fail(each._tag)
        return [type, "height" in payload && payload.height, "duration_ms" in payload && payload.duration_ms]
      })
      assert.deepStrictEqual(durations, [
        ["BlockValidationCompleted", SPENDING - 1, 0],
        ["BlockValidationCompleted", SPENDING, 40]
      ])
      const { block, identity } = yield* loadBlock(full.chain, at(SPENDING))
      const spent = block.transactions[1]!.inputs[0]!.prevout
      assert.isUndefined(background.coins.coinAt(spent))
      assert.isDefined(background.coins.coinAt({ txid: identity.transactionIds.slice(32, 64), vout: 0 }))
    }).pipe(Effect.scoped))
})
