import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { join } from "node:path"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { loadUndo } from "../../src/engine/validation/disconnect.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { blockPlace, setUndoPlace, undoPlace } from "../../src/engine/header-index/block-place.ts"
import { coinKey } from "../../src/coins/coin-key.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { type MaintainedEngine, maintainedEngine, type MaintainedOptions } from "./maintained-engine.ts"
import { endsInTheRecordedState, frames, recorded } from "./recorded-state.ts"

const HEIGHT = 322

/** The recorded chain on a disk, ready to be damaged. */
const onDisk = Effect.fnUntraced(function*(more: MaintainedOptions = {}): Effect.fn.Return<
  { readonly engine: MaintainedEngine; readonly directory: string },
  unknown,
  Scope.Scope
> {
  const directory = yield* temporaryDirectory
  fs.writeFileSync(join(directory, "bootstrap.dat"), Buffer.concat(frames()))
  const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime, ...more })
  yield* engine.call("importFiles", { paths: [join(directory, "bootstrap.dat")] })
  yield* engine.call("flush", undefined)
  return { engine, directory }
})

const flip = (path: string, at: number): void => {
  const file = fs.openSync(path, "r+")
  const byte = new Uint8Array(1)
  fs.readSync(file, byte, 0, 1, at)
  fs.writeSync(file, Uint8Array.of(byte[0]! ^ 1), 0, 1, at)
  fs.closeSync(file)
}

/** The lowest level that finds fault, and what it says; each level above has to as well. */
const findings = Effect.fnUntraced(function*(engine: MaintainedEngine, blocks: number) {
  const outcomes = []
  for (const level of [0, 1, 2, 3, 4]) outcomes.push(yield* engine.call("verifyChain", { level, blocks }))
  const first = outcomes.findIndex(({ valid }) => !valid)
  assert.isTrue(outcomes.every(({ valid }, level) => valid === (first < 0 || level < first)))
  return { first, problem: outcomes[first]?.problem }
})

describe.skipIf(recorded === undefined)("verifying the chain", () => {
  it.live("finds nothing in what was connected, on every level and to every depth, and changes nothing", () =>
    Effect.gen(function*() {
      const news: Array<EngineNotification> = []
      const { engine } = yield* onDisk({ news: (item) => news.push(item) })
      for (const blocks of [0, 1, 6, HEIGHT, 5000]) assert.strictEqual((yield* findings(engine, blocks)).first, -1)
      // Out of range is taken for the nearest level.
      assert.isTrue((yield* engine.call("verifyChain", { level: 9, blocks: 3 })).valid)
      assert.isTrue((yield* engine.call("verifyChain", { level: -1, blocks: 3 })).valid)
      const progress = news.filter((item) => item._tag === "Progress" && item.task === "verify")
      assert.deepStrictEqual(progress.at(-1), { _tag: "Progress", task: "verify", done: 3, total: 3 })
      assert.strictEqual(progress.length, (4 + 2) * (1 + 6 + 3 * HEIGHT) + 6 + 3)
      yield* endsInTheRecordedState(engine)
      assert.strictEqual(engine.chain.coins.changes(), 0)
    }))

  it.live("finds a block that cannot be read on level 0", () =>
    Effect.gen(function*() {
      const { directory, engine } = yield* onDisk()
      const { offset } = blockPlace(engine.chain.tree, activeAt(engine.chain.tree, 300)!)!
      flip(join(directory, "blocks/blk00000.dat"), offset - 5)
      const { first, problem } = yield* findings(engine, 0)
      assert.strictEqual(first, 0)
      assert.include(problem, "at height 300")
      assert.include(problem, "blk00000.dat")
      assert.strictEqual(engine.chain.status._tag, "Running")
      // Not so deep, it is not looked at.
      assert.strictEqual((yield* findings(engine, HEIGHT - 300)).first, -1)
    }))

  it.live("finds any bit of a block that is flipped on level 1 at the latest", () =>
    Effect.gen(function*() {
      const { directory, engine } = yield* onDisk()
      const place = blockPlace(engine.chain.tree, activeAt(engine.chain.tree, 321)!)!
      const path = join(directory, "blocks/blk00000.dat")
      for (let at = place.offset; at < place.offset + place.size; at += Math.ceil(place.size / 150)) {
        flip(path, at)
        assert.isFalse((yield* engine.call("verifyChain", { level: 1, blocks: 3 })).valid, `byte ${at - place.offset}`)
        flip(path, at)
      }
      assert.isTrue((yield* engine.call("verifyChain", { level: 1, blocks: 3 })).valid)
    }))

  it.live("finds undo data that are damaged on level 2", () =>
    Effect.gen(function*() {
      const { directory, engine } = yield* onDisk()
      const { offset } = undoPlace(engine.chain.tree, activeAt(engine.chain.tree, 310)!)!
      flip(join(directory, "blocks/rev00000.dat"), offset)
      const { first, problem } = yield* findings(engine, 0)
      assert.strictEqual(first, 2)
      assert.include(problem, "rev00000.dat")
    }))

  it.live("finds coins that are not those of the chain on level 3", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(join(directory, "bootstrap.dat"), Buffer.concat(frames()))
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime })
        yield* engine.call("importFiles", { paths: [join(directory, "bootstrap.dat")] })
        yield* engine.call("close", undefined)
        const { files, store, tree } = engine.chain
        const { size } = blockPlace(tree, tree.tip)!
        assert.isAbove(size, 0)
        const { identified } = yield* Effect.promise(() => import("../../src/engine/state/identified-block.ts"))
        const { blockOf } = yield* Effect.promise(() => import("../../src/engine/validation/read-block.ts"))
        const found = identified(blockOf(yield* files.readBlock(blockPlace(tree, tree.tip)!))!, engine.chain.crypto)
        yield* store.write((batch) =>
          batch.remove(coinKey({ txid: found.identity.transactionIds.subarray(0, 32), vout: 0 }))
        )
      }))
      const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime })
      const { first, problem } = yield* findings(engine, 1)
      assert.strictEqual(first, 3)
      assert.include(problem, `at height ${HEIGHT}`)
    }))

  it.live("finds spends that do not hold on level 4", () =>
    Effect.gen(function*() {
      const { engine } = yield* onDisk()
      const { files, tree, undoCodec } = engine.chain
      // Undo data with a fitting checksum that put another script in place of one that was spent.
      let node = tree.tip
      let undo = yield* loadUndo(engine.chain, node)
      while (!undo.spent.some((coins) => coins.some(({ script }) => script.length === 25))) {
        node = node.parent!
        undo = yield* loadUndo(engine.chain, node)
      }
      const spent = undo.spent.map((coins) =>
        coins.map((coin) => coin.script.length === 25 ? { ...coin, script: Uint8Array.of(0x6a) } : coin)
      )
      const bytes = undoCodec.encode({ spent, replaced: [] })
      setUndoPlace(tree, node, yield* files.appendUndo(0, node.parent!.hash, bytes, node.height))
      const { first, problem } = yield* findings(engine, HEIGHT - node.height + 1)
      assert.strictEqual(first, 4)
      assert.include(problem, `at height ${node.height} cannot be connected again: block-script-verify-flag-failed`)
    }))

  it.live(
    "finds nothing wrong with blocks that were made under other activation heights, and still any damage",
    () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        fs.writeFileSync(join(directory, "bootstrap.dat"), Buffer.concat(frames()))
        yield* Effect.scoped(Effect.gen(function*() {
          const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime })
          yield* engine.call("importFiles", { paths: [join(directory, "bootstrap.dat")] })
          yield* engine.call("close", undefined)
        }))
        const later = { bip34: 1_000, dersig: 1_000, cltv: 1_000, csv: 1_000, segwit: 1_000 }
        for (const activationHeights of [{ segwit: 6 }, { segwit: 1_000 }, later]) {
          yield* Effect.scoped(Effect.gen(function*() {
            const engine = yield* maintainedEngine(directory, {
              mockTime: recorded!.mockTime,
              options: { activationHeights }
            })
            const said = JSON.stringify(activationHeights)
            for (const level of [1, 4]) {
              const outcome = yield* engine.call("verifyChain", { level, blocks: 0 })
              assert.deepInclude(outcome, { valid: true, problem: undefined, isSound: true }, said)
              assert.strictEqual(outcome.transactions > 0, level === 4, said)
            }
            const { offset, size } = blockPlace(engine.chain.tree, activeAt(engine.chain.tree, 321)!)!
            const path = join(directory, "blocks/blk00000.dat")
            for (let at = offset; at < offset + size; at += Math.ceil(size / 50)) {
              flip(path, at)
              assert.isFalse(
                (yield* engine.call("verifyChain", { level: 1, blocks: 3 })).valid,
                `${said} byte ${at - offset}`
              )
              flip(path, at)
            }
          }))
        }
      })
  )

  it.live("says when there was no memory to look at everything", () =>
    Effect.gen(function*() {
      const { engine } = yield* onDisk({ options: { dbcacheBytes: 1 } })
      const { first, problem } = yield* findings(engine, 0)
      assert.strictEqual(first, 3)
      assert.include(problem, "dbcache_mb")
    }))
})
