import { assert, describe, it } from "@effect/vitest"
import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import type { BlockFileInfo, BlockFiles, FilePosition } from "../../src/storage/block-files/block-files.ts"
import { openBlockFiles } from "../../src/storage/block-files/open-block-files.ts"
import type { Disk } from "../../src/storage/disk/disk.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import { type Random, randomOf } from "../crash/random.ts"
import { testEngine } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { anyCut, describeCut } from "./any-cut.ts"
import type { Cut, Tree } from "./disk-model.ts"
import { recordingDisk } from "./recording-disk.ts"
import { treeDifferences, writeTree } from "./tree-files.ts"

const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda)
const PREVIOUS = new Uint8Array(32).fill(7)
const SEED = Number(process.env["LOCKSTEP_SEED"] ?? 1)

const bytesOf = (number: number, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, i) => (i * 31 + number * 17) & 0xff)

interface Stored {
  readonly block: FilePosition
  readonly undo: FilePosition
  readonly number: number
}

/** What a store would say: the files as of the last commit, and what stands in them. */
interface Committed {
  readonly infos: ReadonlyMap<number, BlockFileInfo>
  readonly stored: ReadonlyArray<Stored>
}

const open = (disk: Disk, directory: string, { infos }: Committed) =>
  openBlockFiles({
    disk,
    directory: join(directory, "blocks"),
    magic: MAGIC,
    committed: [...infos.values()],
    coreBlocks: undefined,
    maxFileBytes: 3_000
  })

const NOTHING: Committed = { infos: new Map(), stored: [] }

const blockOf = ({ block, number }: Stored): Uint8Array => bytesOf(number, block.size)
const undoOf = ({ number, undo }: Stored): Uint8Array => bytesOf(number + 1, undo.size)

const append = Effect.fnUntraced(function*(files: BlockFiles, number: number, random: Random) {
  const block = yield* files.appendBlock(bytesOf(number, 81 + random.below(1_500)), number)
  const undo = yield* files.appendUndo(block.file, PREVIOUS, bytesOf(number + 1, random.below(700)), number)
  return { block, undo, number } satisfies Stored
})

/** All that was committed is there, and the files can be written on. */
const judge = Effect.fnUntraced(function*(tree: Tree, committed: Committed, random: Random) {
  const directory = yield* temporaryDirectory
  writeTree(directory, tree)
  const files = yield* open(nodeDisk("block-files"), directory, committed)
  for (const each of committed.stored) {
    assert.isTrue(bytesEqual(yield* files.readBlock(each.block), blockOf(each)), `block ${each.number}`)
    assert.isTrue(
      bytesEqual(yield* files.readUndo(each.undo, PREVIOUS), undoOf(each)),
      `undo data of block ${each.number}`
    )
  }
  const next = yield* append(files, 99, random)
  yield* files.sync
  assert.isTrue(bytesEqual(yield* files.readBlock(next.block), blockOf(next)), "what is written next")
  yield* files.close
})

describe("block files after a power cut", () => {
  it.live("hold at every step what was committed, and can be written on", () =>
    Effect.gen(function*() {
      const random = randomOf(SEED)
      const root = yield* temporaryDirectory
      const trials: Array<{ readonly tree: Tree; readonly committed: Committed; readonly text: string }> = []
      let committed = NOTHING
      const recording = recordingDisk(nodeDisk("block-files"), root, (operation) => {
        const cut = anyCut(random)
        trials.push({ tree: recording.survivors(cut), committed, text: `after ${operation._tag}: ${describeCut(cut)}` })
      })
      let files = yield* open(recording.disk, root, committed)
      const waiting: Array<Stored> = []
      for (let number = 0; number < 60; number++) {
        waiting.push(yield* append(files, number, random))
        // A new chain commits its genesis block before anything follows: many blocks of which none is committed are
        // another chain's.
        if (number === 0 || random.below(4) === 0) {
          yield* files.sync
          const infos = new Map(committed.infos)
          for (const info of files.takeChangedInfo()) infos.set(info.file, info)
          committed = { infos, stored: [...committed.stored, ...waiting.splice(0)] }
        }
        if (random.below(15) === 0) {
          // Pruned: first out of the store, then out of the directory.
          const oldest = Math.min(...committed.infos.keys())
          const newest = Math.max(...committed.infos.keys())
          if (oldest < newest && waiting.every(({ block }) => block.file !== oldest)) {
            committed = {
              infos: new Map([...committed.infos].filter(([file]) => file !== oldest)),
              stored: committed.stored.filter(({ block }) => block.file !== oldest)
            }
            yield* files.removeFiles([oldest])
          }
        }
        if (random.below(20) === 0) {
          // Killed, and started again.
          files = yield* open(recording.disk, root, committed)
          waiting.length = 0
        }
      }
      for (const { committed: at, text, tree } of trials) {
        yield* Effect.scoped(judge(tree, at, random)).pipe(
          Effect.mapError((cause) => new Error(`seed ${SEED}, ${text}: ${cause.message}`, { cause }))
        )
      }
      assert.isAbove(trials.length, 100)
    }))

  it.live("are on disk, with their names, before the batch of a commit speaks of them", () =>
    Effect.gen(function*() {
      const root = fs.realpathSync(yield* temporaryDirectory)
      const recording = recordingDisk(nodeDisk("block-files"), root)
      const random = randomOf(SEED)
      const left = (share: Cut["bytes"]): Tree => recording.survivors({ bytes: share, names: share, random })
      let batches = 0
      const engine = yield* testEngine({
        directory: root,
        disk: recording.disk,
        store: (store) => ({
          ...store,
          write: (fill) =>
            Effect.suspend(() => {
              batches++
              assert.deepStrictEqual(
                treeDifferences(left("nothing"), left("everything")),
                [],
                "not on disk when the batch is written"
              )
              return store.write(fill)
            })
        })
      })
      for (let n = 0; n < 3; n++) {
        yield* engine.call("generate", {
          script: Uint8Array.of(0x51),
          blocks: 2,
          maxTries: 1_000,
          transactions: [],
          submit: true
        })
      }
      assert.isAtLeast(batches, 4)
      assert.isAbove(left("nothing").get("/blocks/blk00000.dat")!.length, 6 * 100)
    }))
})
