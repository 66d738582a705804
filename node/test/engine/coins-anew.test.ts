import { assert, describe, it } from "@effect/vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { otherSpace } from "../../src/coins/coin-space.ts"
import type { IndexCalls } from "../../src/engine/api/index-calls.ts"
import type { OwnCall } from "../../src/engine/api/engine-calls.ts"
import type { CrashPoint } from "../../src/engine/options/crash-point.ts"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { isLoadingBlocks } from "../../src/engine/chainstate/loading-blocks.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { beginCoinsAnew } from "../../src/engine/snapshot/begin-coins-anew.ts"
import { indexes } from "../../src/indexes/indexes.ts"
import { hexOf } from "../../src/hex.ts"
import { KeySpace, rangeOf } from "../../src/storage/key-space.ts"
import type { KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { openLmdbStore } from "../../src/storage/key-value/lmdb-store.ts"
import { entriesOf } from "../storage/key-value/behaviour.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { coinbaseAt, loose, mine } from "./mempool/loose-transactions.ts"
import { BASE, loadingEngine, otherCoins, prepare, record, submit, TOP } from "./snapshot/snapshot-rig.ts"
import { testEngine } from "./test-engine.ts"

type Engine = RunningEngine<OwnCall | keyof IndexCalls>

const ALL: Partial<EngineOptions> = {
  transactionIndex: true,
  spenderIndex: true,
  coinStatisticsIndex: true,
  blockFilterIndex: true,
  addressIndex: true,
  valueIndex: true
}
const TIP = 105

const opened = (
  directory: string,
  options: Partial<EngineOptions>,
  crashPoint: (name: CrashPoint) => void = () => {}
) =>
  testEngine({
    directory,
    options: { ...ALL, ...options },
    extensions: [indexes],
    parts: (parts) => ({ ...parts, crashPoint })
  })

const settled = Effect.fnUntraced(function*({ call, chain }: Engine) {
  while (isLoadingBlocks(chain)) yield* Effect.sleep("2 millis")
  while (!(yield* call("indexes", undefined)).every(({ synced }) => synced)) yield* Effect.sleep("2 millis")
})

/** What must be the same before and after: the tip, the coins, and all entries but those of coins and of their record. */
const contents = Effect.fnUntraced(function*({ call, chain: { store, tree } }: Engine) {
  yield* call("flush", undefined)
  const { setHash, txouts } = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
  const others = Object.entries(KeySpace).filter(([name]) => !["coin", "meta", "secondCoin"].includes(name))
  const entries = yield* Effect.forEach(
    others,
    ([name, space]) =>
      Effect.map(entriesOf(store, rangeOf(space)), (found) => [
        name,
        found.map(([key, value]) => `${hexOf(key)} ${hexOf(value)}`)
      ])
  )
  return {
    tip: hexOf(tree.tip.hash),
    setHash: hexOf(setHash!),
    txouts,
    entries: Object.fromEntries(entries) as unknown
  }
})

const filesOf = (directory: string): ReadonlyArray<readonly [string, string]> => {
  const blocks = join(directory, "blocks")
  return readdirSync(blocks).sort().map((name) => [name, readFileSync(join(blocks, name), "base64")])
}

/** A chain with a branch that was left and a transaction, in a directory of its own. */
const made = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const before = yield* Effect.scoped(Effect.gen(function*() {
    const engine = yield* opened(directory, {})
    yield* mine(engine, 102)
    const { hashes } = yield* mine(engine, 2, [])
    yield* engine.call("invalidateBlock", { hash: hashes[0]! })
    const spend = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [4_999_990_000n] })
    yield* mine(engine, 1, [spend])
    yield* mine(engine, 2)
    return yield* contents(engine)
  }))
  return { before, directory }
})

describe("coins that are made anew", () => {
  it.live("are those that were there, from the same files, headers and entries of indexes", () =>
    Effect.gen(function*() {
      const { before, directory } = yield* made
      const files = filesOf(directory)
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* opened(directory, { rebuildCoins: true })
        yield* settled(engine)
        assert.strictEqual(engine.chain.tree.tip.height, TIP)
        assert.deepStrictEqual(yield* contents(engine), before)
        assert.strictEqual(engine.chain.chainstates.active, KeySpace.secondCoin)
        while (engine.chain.chainstates.hasLeftover) yield* Effect.sleep("2 millis")
        yield* engine.call("flush", undefined)
      }))
      assert.deepStrictEqual(filesOf(directory), files)
      yield* Effect.scoped(Effect.gen(function*() {
        // Once more: the set that is empty by now.
        const engine = yield* opened(directory, { rebuildCoins: true })
        yield* settled(engine)
        assert.deepStrictEqual(yield* contents(engine), before)
        assert.strictEqual(engine.chain.chainstates.active, KeySpace.coin)
      }))
      const engine = yield* opened(directory, {})
      assert.deepStrictEqual(yield* contents(engine), before)
      yield* mine(engine, 1)
      assert.strictEqual(engine.chain.tree.tip.height, TIP + 1)
    }))

  it.live("hold up no call: the chain comes back meanwhile, and an index that is ahead of it waits", () =>
    Effect.gen(function*() {
      const { directory } = yield* made
      const held = yield* Latch.make(false)
      const engine = yield* testEngine({
        directory,
        options: { ...ALL, rebuildCoins: true },
        extensions: [indexes],
        parts: (parts) => ({
          ...parts,
          files: {
            ...parts.files,
            readBlock: (position) => Effect.andThen(held.await, parts.files.readBlock(position))
          }
        })
      })
      const states = yield* engine.call("indexes", undefined)
      assert.deepStrictEqual(
        states.map(({ bestBlockHeight, synced }) => [bestBlockHeight, synced]),
        Array.from({ length: 6 }, () => [TIP, false])
      )
      assert.isTrue(isLoadingBlocks(engine.chain))
      yield* held.open
      yield* settled(engine)
      assert.strictEqual(engine.chain.tree.tip.height, TIP)
    }))

  const KILLED = new Error("killed")
  it.live.each<readonly [CrashPoint, number]>([
    ["coins-applied", 1],
    ["coins-applied", 60],
    ["before-batch", 1],
    ["inside-batch", 2],
    ["after-batch", 1]
  ])(
    "come back after a kill at %s (call %s), without the option at the next start",
    ([point, count]) =>
      Effect.gen(function*() {
        const { before, directory } = yield* made
        const calls = { left: count }
        // From then on nothing is written any more.
        const crash = (name: CrashPoint): void => {
          if (name === point) calls.left--
          if (calls.left <= 0) throw KILLED
        }
        yield* Effect.exit(Effect.scoped(Effect.gen(function*() {
          const engine = yield* opened(directory, { rebuildCoins: true }, crash)
          while (calls.left > 0 && isLoadingBlocks(engine.chain)) yield* Effect.sleep("2 millis")
        })))
        const engine = yield* opened(directory, {})
        yield* settled(engine)
        assert.deepStrictEqual(yield* contents(engine), before)
      })
  )

  it.live("are begun with the leftover ones gone, and not where the node stops", () =>
    Effect.gen(function*() {
      const { directory } = yield* made
      const store = yield* openLmdbStore(join(directory, "store"))
      const count = (space: number) => Effect.map(entriesOf(store, rangeOf(space)), ({ length }) => length)
      const begin = (whole: KeyValueStore, isOver = false) =>
        beginCoinsAnew({ whole, network: REGTEST, isOver: () => isOver })
      const coins = yield* count(KeySpace.coin)
      assert.isAbove(coins, 100)
      yield* begin(store, true)
      assert.deepStrictEqual(yield* entriesOf(store, rangeOf(KeySpace.secondCoin)), [])
      yield* begin(store)
      assert.strictEqual(yield* count(KeySpace.coin), coins)
      yield* begin(store)
      assert.strictEqual(yield* count(KeySpace.coin), 0)
      yield* store.close
      const engine = yield* opened(directory, {})
      yield* settled(engine)
      assert.strictEqual(engine.chain.tree.tip.height, TIP)
    }))
})

describe("coins that are made anew behind a snapshot that is not confirmed", () => {
  it.live("make the node leave the snapshot, and everything that was concluded from it", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "lockstep-anew-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const recorded = yield* record(folder)
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        yield* prepare(engine, recorded, 3)
        yield* engine.call("loadCoins", { file: recorded.file })
        yield* submit(engine, recorded, BASE, TOP)
        assert.strictEqual(engine.chain.tree.tip.height, TOP)
        yield* engine.call("flush", undefined)
      }))
      const store = yield* openLmdbStore(join(directory, "store"))
      const network = { ...REGTEST, assumeUtxo: [recorded.known] }
      yield* beginCoinsAnew({ whole: store, network, isOver: () => false })
      yield* store.close
      const engine = yield* loadingEngine(directory, recorded)
      assert.isUndefined(engine.chain.snapshot)
      assert.strictEqual(engine.chain.tree.tip.height, 3)
      assert.deepStrictEqual(activeAt(engine.chain.tree, 3), engine.chain.tree.tip)
      assert.strictEqual(yield* otherCoins(engine), 0)
      yield* submit(engine, recorded, 3, BASE)
      assert.strictEqual(engine.chain.tree.tip.height, TOP)
      const left = yield* Stream.runCollect(
        engine.chain.chainstates.whole.range(rangeOf(otherSpace(engine.chain.chainstates.active)))
      )
      assert.lengthOf(left.flat(), 0)
    }))
})
