import { assert, describe, it } from "@effect/vitest"
import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { setClosing } from "../../src/engine/state/engine-status.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import { DISK_FAULTS, makeFailingDisk } from "../storage/disk/failing-disk.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { type MaintainedEngine, maintainedEngine, type MaintainedOptions } from "./maintained-engine.ts"
import { patience } from "../process/patience.ts"

const PRUNED: MaintainedOptions = {
  mockTime: 1_700_000_000,
  maxFileBytes: 32_768,
  options: { pruning: { _tag: "Manual" } }
}
const REBUILT: MaintainedOptions = { mockTime: 1_700_000_000, maxFileBytes: 8192, anew: "fresh" }

const mine = ({ call }: MaintainedEngine, blocks: number) =>
  call("generate", { script: Uint8Array.of(0x51), blocks, maxTries: 1_000_000, transactions: [], submit: true })

const muHashOf = Effect.fnUntraced(function*({ call }: MaintainedEngine) {
  return displayHexOf((yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })).setHash!)
})

/** A data directory with so many blocks, to be copied, and the coins it has. */
const prepared = Effect.fnUntraced(function*(options: MaintainedOptions, blocks: number) {
  const directory = yield* temporaryDirectory
  const coins = yield* Effect.scoped(Effect.gen(function*() {
    const engine = yield* maintainedEngine(directory, options)
    yield* mine(engine, blocks)
    return yield* muHashOf(engine)
  }))
  return { directory, coins }
})

const copyOf = Effect.fnUntraced(function*(directory: string) {
  const copy = yield* temporaryDirectory
  fs.cpSync(directory, copy, { recursive: true })
  return copy
})

/** Holds that the tree, the table of files and the directory agree. */
const agrees = Effect.fnUntraced(
  function*({ call, chain }: MaintainedEngine, directory: string, height: number, what: string) {
    assert.strictEqual(chain.tree.tip.height, height, what)
    const present = fs.readdirSync(join(directory, "blocks")).filter((name) => name.startsWith("blk"))
    assert.deepStrictEqual(
      present.toSorted(),
      chain.files.info().map(({ file }) => `blk${String(file).padStart(5, "0")}.dat`),
      what
    )
    for (let at = 0; at <= height; at += 7) {
      const facts = yield* call("blockFacts", { hash: (yield* call("hashAt", { height: at }))! })
      if (facts!.block !== undefined) yield* chain.files.readBlock(facts!.block)
    }
  }
)

describe("maintenance when the disk fails", () => {
  it.live("pruning stops, and goes on at the next start, wherever it was interrupted", () =>
    Effect.gen(function*() {
      const { coins, directory } = yield* prepared(PRUNED, 1005)
      for (const fault of DISK_FAULTS) {
        for (let at = 1;; at++) {
          const what = `${fault} at ${at}`
          const copy = yield* copyOf(directory)
          const failing = makeFailingDisk(nodeDisk("block-files"), { fault, at })
          yield* Effect.result(Effect.scoped(Effect.gen(function*() {
            const engine = yield* maintainedEngine(copy, { ...PRUNED, disk: failing.disk })
            yield* engine.call("pruneTo", { height: 600 })
          })))
          yield* Effect.scoped(Effect.gen(function*() {
            const engine = yield* maintainedEngine(copy, PRUNED)
            yield* agrees(engine, copy, 1005, what)
            assert.isAtLeast(yield* engine.call("pruneTo", { height: 600 }), 480, what)
            yield* agrees(engine, copy, 1005, what)
            assert.strictEqual(yield* muHashOf(engine), coins, what)
            yield* mine(engine, 1)
          }))
          fs.rmSync(copy, { recursive: true })
          if (failing.failures() === 0) break
        }
      }
    }), patience(240_000))

  it.live("a rebuild stops, and goes on at the next start, wherever it was interrupted", () =>
    Effect.gen(function*() {
      const { coins, directory } = yield* prepared({ ...REBUILT, anew: "store" }, 40)
      for (const fault of DISK_FAULTS) {
        // The first operations one by one, then fewer and fewer.
        for (let at = 1;; at += 1 + (at >> 2)) {
          const what = `${fault} at ${at}`
          const copy = yield* copyOf(directory)
          const failing = makeFailingDisk(nodeDisk("block-files"), { fault, at, lasting: true })
          yield* Effect.result(Effect.scoped(Effect.gen(function*() {
            const engine = yield* maintainedEngine(copy, { ...REBUILT, disk: failing.disk })
            yield* engine.call("importFiles", { paths: [] }).pipe(Effect.timeoutOption(100))
            setClosing(engine.chain)
          })))
          yield* Effect.scoped(Effect.gen(function*() {
            const engine = yield* maintainedEngine(copy, REBUILT)
            assert.strictEqual((yield* engine.call("importFiles", { paths: [] })).waiting, 0, what)
            yield* agrees(engine, copy, 40, what)
            assert.strictEqual(yield* muHashOf(engine), coins, what)
          }))
          fs.rmSync(copy, { recursive: true })
          if (failing.failures() === 0) break
        }
      }
    }), patience(240_000))
})
