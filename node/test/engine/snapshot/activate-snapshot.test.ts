import { assert, describe, it } from "@effect/vitest"
import { changeCoin, overlayOn } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import { otherSpace } from "../../../src/coins/coin-space.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { has, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { activateSnapshot } from "../../../src/engine/snapshot/activate-snapshot.ts"
import { hexOf } from "../../../src/hex.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { BASE, coinsOf, loadingEngine, prepare, record, submit, TOP } from "./snapshot-rig.ts"

describe("a snapshot that is activated", () => {
  it.live("is the tip at once, with the chain until now behind it, and is confirmed when that has reached it", () =>
    Effect.gen(function*() {
      const recorded = yield* record(yield* temporaryDirectory)
      const lines: Array<string> = []
      const engine = yield* loadingEngine(yield* temporaryDirectory, recorded, {
        news: (news) => void (news._tag === "Log" && lines.push(`${news.level} ${news.message}`))
      })
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
      assert.deepStrictEqual(lines.filter((line) => line.includes("[snapshot]")), [
        "info [snapshot] successfully activated snapshot",
        "info [snapshot] the loaded snapshot is confirmed"
      ])
    }))

  it.live("leaves to the chain behind it the coins that were in memory alone", () =>
    Effect.gen(function*() {
      const recorded = yield* record(yield* temporaryDirectory)
      const engine = yield* loadingEngine(yield* temporaryDirectory, recorded)
      yield* prepare(engine, recorded, 3)
      const { chainstates, tree } = engine.chain
      const outpoint = { txid: new Uint8Array(32).fill(7), vout: 1 }
      const coin = { height: 3, isCoinbase: false, value: 5n, script: Uint8Array.of(0x51) }
      const overlay = overlayOn(chainstates.coins, 1, 0)
      changeCoin(overlay, outpoint, coin)
      chainstates.coins.apply(overlay)
      engine.chain.dirty = true
      const base = nodeOf(tree, recorded.known.hash)!
      const { background } = yield* activateSnapshot(engine.chain, { base, known: recorded.known })
      yield* background!.coins.prefetchCoins([outpoint])
      assert.deepStrictEqual(background!.coins.coinAt(outpoint), coin)
      yield* chainstates.coins.prefetchCoins([outpoint])
      assert.isUndefined(chainstates.coins.coinAt(outpoint), "of the snapshot's coins it is none")
    }))
})
