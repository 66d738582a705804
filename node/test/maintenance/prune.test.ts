import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { shownError } from "../rpc/shown-error.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { Pruning } from "../../src/engine/options/engine-options.ts"
import type { Disk } from "../../src/storage/disk/disk.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import { StorageError } from "../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { type MaintainedEngine, maintainedEngine, type MaintainedOptions } from "./maintained-engine.ts"
import { patience } from "../process/patience.ts"

const TIP = 1100
const MANUAL = { _tag: "Manual" } as const

/** Files of about fifty blocks each. */
const prunable = (pruning: Pruning, more: MaintainedOptions = {}): MaintainedOptions => ({
  mockTime: 1_700_000_000,
  maxFileBytes: 16_384,
  options: { pruning },
  ...more
})

const mine = ({ call }: MaintainedEngine, blocks: number) =>
  call("generate", { script: Uint8Array.of(0x51), blocks, maxTries: 1_000_000, transactions: [], submit: true })

const factsAt = Effect.fnUntraced(function*({ call }: MaintainedEngine, height: number) {
  return (yield* call("blockFacts", { hash: (yield* call("hashAt", { height }))! }))!
})

const blockFilesIn = (directory: string): ReadonlyArray<string> =>
  fs.readdirSync(join(directory, "blocks")).filter((name) => name.startsWith("blk")).toSorted()

/** Holds that exactly the blocks up to `gone` are gone, from the tree and from the disk. */
const holdsWithout = Effect.fnUntraced(function*(engine: MaintainedEngine, directory: string, gone: number) {
  for (const height of [0, 1, gone - 1, gone]) {
    const { block, pruned, undo } = yield* factsAt(engine, height)
    assert.deepStrictEqual(
      { block, undo, pruned },
      { block: undefined, undo: undefined, pruned: true },
      `height ${height}`
    )
  }
  for (const height of [gone + 1, TIP]) {
    const { block, pruned, undo } = yield* factsAt(engine, height)
    assert.isDefined(block)
    assert.isDefined(undo)
    assert.isFalse(pruned)
    yield* engine.chain.files.readBlock(block!)
  }
  assert.deepStrictEqual(
    blockFilesIn(directory),
    engine.chain.files.info().map(({ file }) => `blk${String(file).padStart(5, "0")}.dat`)
  )
  assert.isAbove(engine.chain.files.info()[0]!.lowestHeight, 0)
})

const ofPruning = (news: ReadonlyArray<EngineNotification>) =>
  news.flatMap((item) => item._tag === "Event" && item.event.type.includes("Maintenance") ? [item.event] : [])

describe("pruning when asked", () => {
  it.live("removes whole files up to the height, reports it, and stays so after a restart", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const news: Array<EngineNotification> = []
      let gone = 0
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, prunable(MANUAL, { news: (item) => news.push(item) }))
        yield* mine(engine, TIP)
        const all = blockFilesIn(directory).length
        gone = yield* engine.call("pruneTo", { height: 500 })
        // As many whole files as are below, so it lies in the last fifty or so.
        assert.isAtMost(gone, 500)
        assert.isAtLeast(gone, 430)
        yield* holdsWithout(engine, directory, gone)
        const [announced, started, completed, ...more] = ofPruning(news)
        assert.deepStrictEqual(more, [])
        assert.deepStrictEqual(announced, {
          type: "DataMaintenance",
          payload: { operation: "cleanup", urgency: "medium", reason: "manual" }
        })
        assert.deepStrictEqual(started, {
          type: "MaintenanceStarted",
          payload: { maintenance_type: "prune", estimated_duration_seconds: 1 }
        })
        const { payload, type } = completed!
        const { results, success } = payload as { readonly success: boolean; readonly results: string }
        assert.deepStrictEqual({ type, success }, { type: "MaintenanceCompleted", success: true })
        assert.deepInclude(JSON.parse(results), {
          files: all - blockFilesIn(directory).length,
          last_pruned_height: gone
        })
        // There is nothing more to do up to there.
        assert.strictEqual(yield* engine.call("pruneTo", { height: gone }), gone)
        assert.deepStrictEqual(ofPruning(news).slice(3).map((event) => event.type), [
          "DataMaintenance",
          "MaintenanceStarted",
          "MaintenanceCompleted"
        ])
        assert.include(JSON.stringify(ofPruning(news)[5]), "\\\"files\\\":0")
        const { problem, valid } = yield* engine.call("verifyChain", { level: 4, blocks: 0 })
        assert.isFalse(valid)
        assert.include(problem, `Blocks up to height ${gone} are pruned`)
        assert.isTrue((yield* engine.call("verifyChain", { level: 4, blocks: 288 })).valid)
      }))
      const engine = yield* maintainedEngine(directory, prunable(MANUAL))
      yield* holdsWithout(engine, directory, gone)
      yield* engine.call("invalidateBlock", { hash: (yield* engine.call("hashAt", { height: TIP - 287 }))! })
      assert.strictEqual(engine.chain.tree.tip.height, TIP - 288)
    }))

  it.live("counts a block as pruned that was fetched again, since its undo data stay gone", () =>
    Effect.gen(function*() {
      const news: Array<EngineNotification> = []
      const engine = yield* maintainedEngine(
        yield* temporaryDirectory,
        prunable(MANUAL, { news: (item) => news.push(item) })
      )
      yield* mine(engine, TIP)
      const heights = Array.from({ length: 500 }, (_, height) => height)
      const blocks: Array<Uint8Array> = []
      for (const height of heights) {
        const { block } = yield* factsAt(engine, height)
        blocks.push(yield* engine.chain.files.readBlock(block!))
      }
      const gone = yield* engine.call("pruneTo", { height: heights.length })
      const lowest = () => news.flatMap((item) => item._tag === "State" ? [item.state.pruneHeight] : []).at(-1)
      assert.strictEqual(lowest(), gone + 1)
      // One after another from above, and with gaps: a search by halves would meet some of them.
      for (const height of [gone, gone - 1, gone >> 1, 1, 0]) {
        yield* engine.call("submitBlock", { bytes: blocks[height]! })
        assert.isDefined((yield* factsAt(engine, height)).block, `height ${height}`)
        yield* mine(engine, 1)
        assert.strictEqual(lowest(), gone + 1, `height ${height}`)
      }
      assert.strictEqual(yield* engine.call("pruneTo", { height: 1 }), gone)
    }))

  it.live("leaves the last 288 blocks", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const engine = yield* maintainedEngine(directory, prunable(MANUAL))
      yield* mine(engine, TIP)
      const gone = yield* engine.call("pruneTo", { height: TIP })
      assert.isAtMost(gone, TIP - 288)
      assert.isAbove(gone, TIP - 288 - 60)
      yield* holdsWithout(engine, directory, gone)
    }))

  it.live("refuses where it is switched off or the chain is short", () =>
    Effect.gen(function*() {
      const off = yield* maintainedEngine(yield* temporaryDirectory, prunable({ _tag: "Disabled" }))
      assert.deepInclude(shownError(yield* Effect.flip(off.call("pruneTo", { height: 1 }))), {
        code: -1,
        message: "Cannot prune blocks because node is not in prune mode."
      })
      const short = yield* maintainedEngine(yield* temporaryDirectory, prunable(MANUAL))
      yield* mine(short, 999)
      assert.deepInclude(shownError(yield* Effect.flip(short.call("pruneTo", { height: 1 }))), {
        code: -1,
        message: "Blockchain is too short for pruning."
      })
      yield* mine(short, 1)
      // No whole file is that low.
      assert.strictEqual(yield* short.call("pruneTo", { height: 1 }), -1)
    }))

  it.live("a node that pruned is not started without", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, prunable(MANUAL))
        yield* mine(engine, TIP)
        yield* engine.call("pruneTo", { height: 500 })
      }))
      const error = yield* Effect.flip(maintainedEngine(directory, prunable({ _tag: "Disabled" })))
      assert.include(error.message, "lockstep rebuild")
      yield* maintainedEngine(directory, prunable(MANUAL))
    }))

  it.live("goes on at the next start when it died before the files were gone", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const real = nodeDisk("block-files")
      const disk: Disk = {
        ...real,
        remove: (path) =>
          Effect.fail(new StorageError({ part: "block-files", operation: "remove", reason: "io", path, message: "no" }))
      }
      let files: ReadonlyArray<string> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, prunable(MANUAL, { disk }))
        yield* mine(engine, TIP)
        files = blockFilesIn(directory)
        yield* Effect.flip(engine.call("pruneTo", { height: 500 }))
        assert.strictEqual(engine.chain.status._tag, "Broken")
        assert.deepStrictEqual(blockFilesIn(directory), files)
      }))
      const engine = yield* maintainedEngine(directory, prunable(MANUAL))
      const gone = yield* engine.call("pruneTo", { height: 0 })
      assert.isAtLeast(gone, 430)
      yield* holdsWithout(engine, directory, gone)
      assert.isBelow(blockFilesIn(directory).length, files.length)
    }))
})

describe("pruning by itself", () => {
  const settled = Effect.fnUntraced(function*(news: ReadonlyArray<EngineNotification>) {
    const end = performance.now() + patience(10_000)
    while (performance.now() < end && ofPruning(news).length === 0) yield* Effect.sleep(100)
    assert.isAbove(ofPruning(news).length, 0)
  })

  it.live("keeps as many blocks as are asked for", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const news: Array<EngineNotification> = []
      const engine = yield* maintainedEngine(
        directory,
        prunable({ _tag: "KeepBlocks", blocks: 600 }, { news: (item) => news.push(item) })
      )
      yield* mine(engine, TIP)
      yield* settled(news)
      const gone = yield* engine.call("pruneTo", { height: 0 })
      assert.isAtMost(gone, TIP - 600)
      assert.isAbove(gone, TIP - 600 - 60)
      yield* holdsWithout(engine, directory, gone)
    }))

  it.live("stays below a size", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const news: Array<EngineNotification> = []
      // The room left for the next blocks is 17 MiB.
      const bytes = 17 * 1024 * 1024 + 180_000
      const engine = yield* maintainedEngine(
        directory,
        prunable({ _tag: "TargetSize", bytes }, { news: (item) => news.push(item) })
      )
      yield* mine(engine, TIP)
      yield* settled(news)
      assert.isAtMost(engine.chain.files.sizeOnDisk(), 180_000)
      assert.isAbove(engine.chain.files.sizeOnDisk(), 180_000 - 40_000)
      yield* holdsWithout(engine, directory, yield* engine.call("pruneTo", { height: 0 }))
    }))
})
