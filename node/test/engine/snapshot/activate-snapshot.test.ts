import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { otherSpace } from "../../../src/coins/coin-space.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { has } from "../../../src/engine/header-index/header-index.ts"
import { hexOf } from "../../../src/hex.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { BASE, coinsOf, loadingEngine, prepare, record, submit, TOP } from "./snapshot-rig.ts"

describe("a snapshot that is activated", () => {
  it.live("is the tip at once, with the chain until now behind it, and is confirmed when that has reached it", () =>
    Effect.gen(function*() {
      const recorded = yield* record(yield* temporaryDirectory)
      const engine = yield* loadingEngine(yield* temporaryDirectory, recorded)
      const { chainstates, tree } = engine.chain
      const snapshot = () => engine.chain.snapshot
      yield* prepare(engine, recorded, 3)
      const [active, before] = [chainstates.active, tree.tip]
      assert.isUndefined(snapshot())
      yield* engine.call("loadCoins", { file: recorded.file })
      const { background, base, comparison, known } = snapshot()!
      assert.deepStrictEqual([hexOf(base.hash), known], [hexOf(recorded.known.hash), recorded.known])
      assert.strictEqual(background!.tip, before)
      assert.isUndefined(comparison)
      assert.deepStrictEqual([tree.tip, tree.assumed], [base, base])
      assert.isTrue(has(tree, base, HeaderStatus.CONNECTED))
      assert.strictEqual(tree.columns.chainTransactions[base.index], recorded.known.chainTransactions)
      assert.deepStrictEqual([chainstates.active, chainstates.hasLeftover], [otherSpace(active), false])
      assert.strictEqual(engine.chain.dirty, false, "all of it is on disk")
      yield* submit(engine, recorded, BASE, TOP)
      assert.strictEqual(tree.tip.height, TOP)
      yield* submit(engine, recorded, 3, BASE)
      while (snapshot()?.background !== undefined) yield* Effect.sleep(2)
      assert.strictEqual(yield* coinsOf(engine), recorded.top)
    }))
})
