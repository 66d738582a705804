import { assert, describe, it } from "@effect/vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fs from "node:fs"
import { join } from "node:path"
import { engineFaultText } from "../../src/engine/api/fault-text.ts"
import { setSpace } from "../../src/engine/state/engine-status.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { CORE_FILES } from "../../src/storage/block-files/block-files.ts"
import { RECORDED_DIRECTORIES, unpackDirectory } from "../storage/block-files/recorded-files.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { maintainedEngine } from "./maintained-engine.ts"
import { endsInTheRecordedState, frames, recorded } from "./recorded-state.ts"

const shuffled = <A>(items: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  let state = seed
  return items
    .map((item) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return [state, item] as const
    })
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}

describe.skipIf(recorded === undefined)("importing the recorded chain", () => {
  const ORDERS: ReadonlyArray<
    readonly [name: string, order: (blocks: ReadonlyArray<Buffer>) => ReadonlyArray<Buffer>]
  > = [
    ["as it was made", (blocks) => blocks],
    ["backwards", (blocks) => blocks.toReversed()],
    ["shuffled", (blocks) => shuffled(blocks, 1)],
    ["shuffled otherwise", (blocks) => shuffled(blocks, 77)]
  ]
  for (const [name, order] of ORDERS) {
    it.live(`${name}, ends in the recorded tip and coins`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const file = join(directory, "bootstrap.dat")
        fs.writeFileSync(file, Buffer.concat(order(frames())))
        const news: Array<EngineNotification> = []
        const engine = yield* maintainedEngine(directory, {
          mockTime: recorded!.mockTime,
          news: (item) => news.push(item)
        })
        const { blocks, waiting } = yield* engine.call("importFiles", { paths: [file] })
        assert.strictEqual(waiting, 0)
        assert.isAtLeast(blocks, 345)
        yield* endsInTheRecordedState(engine)
        const progress = news.filter((item) => item._tag === "Progress")
        assert.deepStrictEqual(progress.at(-1), {
          _tag: "Progress",
          task: "import",
          done: fs.statSync(file).size,
          total: fs.statSync(file).size
        })
        assert.deepStrictEqual(yield* engine.call("importFiles", { paths: [file] }), {
          blocks: 0,
          waiting: 0,
          withoutBlocks: []
        })
      }))
  }

  it.live("spread over several files in the wrong order, with damage in between", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const blocks = frames()
      const flipped = Buffer.from(blocks[200]!)
      flipped[flipped.length - 20]! ^= 1
      const parts = [
        [...blocks.slice(250), blocks[3]!.subarray(0, 90)],
        [Buffer.alloc(1000, 0x2a), ...blocks.slice(100, 250), flipped, Buffer.alloc(5000)],
        [flipped, blocks[7]!.subarray(0, 100), ...blocks.slice(0, 100), Buffer.from(REGTEST.magic)]
      ]
      const paths = parts.map((part, i) => {
        const path = join(directory, `part${i}.dat`)
        fs.writeFileSync(path, Buffer.concat(part))
        return path
      })
      const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime })
      assert.isAbove((yield* engine.call("importFiles", { paths: paths.slice(0, 2) })).waiting, 100)
      assert.strictEqual(engine.chain.tree.tip.height, 0)
      assert.strictEqual((yield* engine.call("importFiles", { paths: paths.toReversed() })).waiting, 0)
      yield* endsInTheRecordedState(engine)
    }))

  it.live("waits while space is low, and goes on", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const file = join(directory, "bootstrap.dat")
      fs.writeFileSync(file, Buffer.concat(frames()))
      const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime })
      setSpace(engine.chain, { directory, minimumFreeBytes: 1 })
      const importing = yield* Effect.forkChild(engine.call("importFiles", { paths: [file] }), {
        startImmediately: true
      })
      yield* Effect.sleep("200 millis")
      assert.strictEqual(engine.chain.tree.nodes.length, 1)
      setSpace(engine.chain, undefined)
      assert.strictEqual((yield* Fiber.join(importing)).waiting, 0)
      yield* endsInTheRecordedState(engine)
    }))

  it.live("says which file is not there, and goes on", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime })
      const refusal = yield* Effect.flip(engine.call("importFiles", { paths: [join(directory, "nothing.dat")] }))
      assert.include(engineFaultText(refusal), join(directory, "nothing.dat"))
      assert.strictEqual(engine.chain.status._tag, "Running")
      yield* engine.call("flush", undefined)
    }))
})

describe.skipIf(recorded === undefined)("the recorded data directories", () => {
  for (const name of RECORDED_DIRECTORIES) {
    it.live(`${name}: blocks are read in place, also after a restart`, () =>
      Effect.gen(function*() {
        const reference = join(yield* unpackDirectory(name), "blocks")
        const before = fs.readFileSync(join(reference, "blk00000.dat"))
        const directory = yield* temporaryDirectory
        const options = { coreBlocks: reference }
        yield* Effect.scoped(Effect.gen(function*() {
          const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime, options })
          const { blocks, waiting } = yield* engine.call("importFiles", { paths: [] })
          assert.strictEqual(waiting, 0)
          assert.strictEqual(blocks, 354)
          yield* endsInTheRecordedState(engine)
          yield* engine.call("close", undefined)
        }))
        // Our own files hold undo data and the genesis block, and no copies.
        assert.isBelow(fs.statSync(join(directory, "blocks/blk00000.dat")).size, 400)
        assert.deepStrictEqual(fs.readFileSync(join(reference, "blk00000.dat")), before)
        yield* Effect.scoped(Effect.gen(function*() {
          const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime, options })
          assert.deepStrictEqual(yield* engine.call("importFiles", { paths: [] }), {
            blocks: 0,
            waiting: 0,
            withoutBlocks: []
          })
          yield* endsInTheRecordedState(engine)
          const facts = yield* engine.call("blockFacts", { hash: engine.chain.tree.tip.hash })
          assert.strictEqual(facts!.block!.file, CORE_FILES)
          assert.strictEqual(facts!.undo!.file, 0)
          assert.deepInclude(yield* engine.call("verifyChain", { level: 4, blocks: 0 }), {
            valid: true,
            problem: undefined
          })
          yield* engine.call("invalidateBlock", { hash: (yield* engine.call("hashAt", { height: 1 }))! })
          assert.strictEqual(engine.chain.tree.tip.height, 0)
        }))
      }))
  }

  it.live("are copied when that is wished for, also after a death on the way, and are needed no more then", () =>
    Effect.gen(function*() {
      const reference = join(yield* unpackDirectory(RECORDED_DIRECTORIES[0]), "blocks")
      const before = fs.readFileSync(join(reference, "blk00000.dat"))
      const directory = yield* temporaryDirectory
      const options = { coreBlocks: reference, copyCoreBlocks: true }
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime, options })
        // As little of the file as a node takes in that dies soon.
        yield* engine.call("submitBlock", { bytes: frames()[0]!.subarray(8) })
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime, options })
        assert.strictEqual((yield* engine.call("importFiles", { paths: [] })).waiting, 0)
        yield* endsInTheRecordedState(engine)
        yield* engine.call("close", undefined)
      }))
      assert.deepStrictEqual(fs.readFileSync(join(reference, "blk00000.dat")), before)
      const size = fs.statSync(join(directory, "blocks/blk00000.dat")).size
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime, options })
        assert.deepStrictEqual(yield* engine.call("importFiles", { paths: [] }), {
          blocks: 0,
          waiting: 0,
          withoutBlocks: []
        })
        yield* engine.call("close", undefined)
      }))
      assert.strictEqual(fs.statSync(join(directory, "blocks/blk00000.dat")).size, size)
      fs.rmSync(reference, { recursive: true })
      const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime })
      yield* endsInTheRecordedState(engine)
      const facts = yield* engine.call("blockFacts", { hash: engine.chain.tree.tip.hash })
      assert.isBelow(facts!.block!.file, CORE_FILES)
      assert.deepInclude(yield* engine.call("verifyChain", { level: 4, blocks: 0 }), {
        valid: true,
        problem: undefined
      })
    }))

  it.live("are named when they are no longer configured", () =>
    Effect.gen(function*() {
      const reference = join(yield* unpackDirectory(RECORDED_DIRECTORIES[0]), "blocks")
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, {
          mockTime: recorded!.mockTime,
          options: { coreBlocks: reference }
        })
        yield* engine.call("importFiles", { paths: [] })
        yield* engine.call("close", undefined)
      }))
      const engine = yield* maintainedEngine(directory, { mockTime: recorded!.mockTime })
      const { problem, valid } = yield* engine.call("verifyChain", { level: 0, blocks: 1 })
      assert.isFalse(valid)
      assert.include(problem, "core_blocks_dir")
    }))
})
