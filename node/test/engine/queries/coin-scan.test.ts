import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { coinKey } from "../../../src/coins/coin-key.ts"
import { shownError } from "../../rpc/shown-error.ts"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import { testEngine } from "../test-engine.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"

const TRUE = Uint8Array.of(0x51)

/** A store whose snapshots are read only when the test says so. */
const held = (store: KeyValueStore, asked: Effect.Effect<unknown>, released: Effect.Effect<void>): KeyValueStore => ({
  ...store,
  snapshot: Effect.map(store.snapshot, (snapshot) => ({
    ...snapshot,
    range: (range) => Stream.unwrap(asked.pipe(Effect.andThen(released), Effect.as(snapshot.range(range))))
  }))
})

describe("scans of all coins", () => {
  it.live("find the coins with a script, and where they were made", () =>
    Effect.gen(function*() {
      const { call } = yield* testEngine({ directory: yield* temporaryDirectory })
      yield* call("generate", { script: TRUE, blocks: 20, maxTries: 1e6, transactions: [], submit: true })
      const { coins, found, height, isComplete } = yield* call("scanCoins", { scripts: [TRUE] })
      assert.deepStrictEqual([isComplete, coins, found.length, height], [true, 20, 20, 20])
      assert.deepStrictEqual(
        found.map((coin) => coin.height).toSorted((a, b) => a - b),
        Array.from({ length: 20 }, (_, i) => i + 1)
      )
      for (const coin of found) assert.deepStrictEqual(yield* call("hashAt", { height: coin.height }), coin.block)
      for (const { isCoinbase, script, value, vout } of found) {
        assert.deepStrictEqual([isCoinbase, script, value, vout], [true, TRUE, 5_000_000_000n, 0])
      }
      for (const { height: at, txid } of found) {
        assert.strictEqual((yield* call("coin", { txid, vout: 0 }))?.height, at)
      }
      assert.deepStrictEqual((yield* call("scanCoins", { scripts: [Uint8Array.of(0x52)] })).found, [])
    }))

  it.live("are made one at a time, and end early when they are aborted", () =>
    Effect.gen(function*() {
      const [asked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { call } = yield* testEngine({
        directory: yield* temporaryDirectory,
        store: (store) => held(store, Deferred.succeed(asked, undefined), Deferred.await(released))
      })
      yield* call("generate", { script: TRUE, blocks: 20, maxTries: 1e6, transactions: [], submit: true })
      assert.isFalse(yield* call("abortScan", undefined))
      assert.isUndefined(yield* call("scanProgress", undefined))
      const first = yield* Effect.forkChild(call("scanCoins", { scripts: [TRUE] }), { startImmediately: true })
      yield* Deferred.await(asked)
      const second = yield* Effect.flip(call("scanCoins", { scripts: [TRUE] }))
      assert.strictEqual(shownError(second).message, "Scan already in progress, use action \"abort\" or \"status\"")
      assert.strictEqual(yield* call("scanProgress", undefined), 0)
      assert.isTrue(yield* call("abortScan", undefined))
      yield* Deferred.succeed(released, undefined)
      const { found, isComplete } = yield* Fiber.join(first)
      assert.deepStrictEqual([isComplete, found.length], [false, 0])
      assert.isUndefined(yield* call("scanProgress", undefined))
      assert.isTrue((yield* call("scanCoins", { scripts: [TRUE] })).isComplete)
    }))

  it.live("close their snapshot of the store, however they end", () =>
    Effect.gen(function*() {
      const [asked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let open = 0
      const counting = (store: KeyValueStore): KeyValueStore => ({
        ...store,
        snapshot: Effect.map(store.snapshot, (snapshot) => {
          open++
          return { ...snapshot, close: Effect.andThen(snapshot.close, Effect.sync(() => void open--)) }
        })
      })
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        store: (store) => held(counting(store), Deferred.succeed(asked, undefined), Deferred.await(released))
      })
      yield* call("generate", { script: TRUE, blocks: 3, maxTries: 1e6, transactions: [], submit: true })
      const scan = yield* Effect.forkChild(call("scanCoins", { scripts: [TRUE] }), { startImmediately: true })
      yield* Deferred.await(asked)
      assert.strictEqual(open, 1)
      // What changes meanwhile is not seen, nor is the branch that is left.
      const { tip } = chain.tree
      yield* call("invalidateBlock", { hash: tip.hash.slice() })
      yield* Deferred.succeed(released, undefined)
      const { block, coins, found, height } = yield* Fiber.join(scan)
      assert.deepStrictEqual([block, coins, height], [tip.hash.slice(), 3, 3])
      assert.deepInclude(found.map((each) => each.block), tip.hash.slice())
      assert.strictEqual(open, 0)
      yield* chain.store.write((batch) =>
        batch.put(coinKey({ txid: new Uint8Array(32), vout: 0 }), Uint8Array.of(0xff))
      )
      const failed = yield* Effect.flip(call("scanCoins", { scripts: [TRUE] }))
      assert.deepInclude(failed, { _tag: "StorageFailed", reason: "corrupt" })
      assert.deepStrictEqual([open, yield* call("scanProgress", undefined)], [0, undefined])
    }))
})
