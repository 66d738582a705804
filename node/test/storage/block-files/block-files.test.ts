import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { type BlockFileInfo, CORE_FILES } from "../../../src/storage/block-files/block-files.ts"
import { MAX_FILE_BYTES } from "../../../src/storage/block-files/file-table.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { block, failure, fill, MAGIC, open, PREVIOUS } from "./opened-files.ts"

describe("block files", () => {
  it.effect("give back what was appended, before and after a restart", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const files = yield* open(directory)
      const places = yield* fill(files, [81, 1000, 1, 0, 65_537, 300_000])
      yield* files.sync
      const committed = files.takeChangedInfo()
      assert.deepStrictEqual(
        committed.map(({ blocks, highestHeight, lowestHeight }) => [blocks, lowestHeight, highestHeight]),
        [[6, 0, 5]]
      )
      assert.deepStrictEqual(files.takeChangedInfo(), [])
      const again = yield* open(directory, committed)
      for (const each of [files, again]) {
        for (const place of places) {
          assert.deepStrictEqual(yield* each.readBlock(place.block), block(place.size, place.i))
          assert.deepStrictEqual(yield* each.readUndo(place.undo, PREVIOUS), block(place.size >> 1, place.i + 100))
        }
      }
      assert.strictEqual(again.sizeOnDisk(), committed[0]!.blockBytes + committed[0]!.undoBytes)
      yield* files.close
      yield* again.close
    }))

  it.effect("read independently of each other: what a reader does to its bytes stays with it", () =>
    Effect.gen(function*() {
      const files = yield* open(yield* temporaryDirectory)
      const [place] = yield* fill(files, [500])
      const mine = yield* files.readBlock(place!.block)
      mine.fill(0)
      assert.deepStrictEqual(yield* files.readBlock(place!.block), block(500, 0))
      yield* files.close
    }))

  it.effect("have Bitcoin Core's form, each byte XORed by its place in the file", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const files = yield* open(directory)
      yield* fill(files, [100, 203])
      yield* files.close
      const key = fs.readFileSync(join(directory, "xor.dat"))
      assert.strictEqual(key.length, 8)
      assert.isTrue(key.some((byte) => byte !== 0))
      const plain = fs.readFileSync(join(directory, "blk00000.dat")).map((byte, i) => byte ^ key[i % 8]!)
      const expected = [100, 203].flatMap((size, i) => [...MAGIC, size, 0, 0, 0, ...block(size, i)])
      assert.deepStrictEqual([...plain], expected)
    }))

  it.effect("accept a key of zeros, and files without a key as such", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(join(directory, "xor.dat"), new Uint8Array(8))
      const files = yield* open(directory)
      const [place] = yield* fill(files, [90])
      yield* files.close
      assert.deepStrictEqual(fs.readFileSync(join(directory, "blk00000.dat")).subarray(8), Buffer.from(block(90, 0)))
      fs.rmSync(join(directory, "xor.dat"))
      const again = yield* open(directory, files.info())
      assert.deepStrictEqual(yield* again.readBlock(place!.block), block(90, 0))
      yield* again.close
      assert.deepStrictEqual(fs.readFileSync(join(directory, "xor.dat")), Buffer.alloc(8))
    }))

  it.effect("lose at opening what was not committed and is no whole block: ends and whole files", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const files = yield* open(directory)
      const [kept] = yield* fill(files, [1000])
      const committed = files.takeChangedInfo()
      yield* fill(files, [2000, 3000])
      yield* files.close
      fs.truncateSync(join(directory, "blk00000.dat"), 1008 + 2007)
      fs.writeFileSync(join(directory, "blk00001.dat"), "more")
      fs.writeFileSync(join(directory, "rev00001.dat"), "more")
      fs.writeFileSync(join(directory, "notes.txt"), "mine")
      const again = yield* open(directory, committed)
      assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), [
        "blk00000.dat",
        "notes.txt",
        "rev00000.dat",
        "xor.dat"
      ])
      assert.strictEqual(fs.statSync(join(directory, "blk00000.dat")).size, 1008)
      assert.strictEqual(fs.statSync(join(directory, "rev00000.dat")).size, 500 + 8 + 32)
      assert.deepStrictEqual(yield* again.readBlock(kept!.block), block(1000, 0))
      const next = yield* again.appendBlock(block(50, 9), 1)
      assert.deepStrictEqual(next, { file: 0, offset: 1016, size: 50 })
      yield* again.close
    }))

  it.effect("keep at opening whole blocks that were not committed, and answer where they begin", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const files = yield* open(directory, [], { maxFileBytes: 6100 })
      yield* fill(files, [1000])
      const committed = files.takeChangedInfo()
      const [, , whole] = yield* fill(files, [2000, 3000, 400, 500])
      yield* files.close
      fs.truncateSync(join(directory, "blk00001.dat"), 408 + 507)
      const again = yield* open(directory, committed, { maxFileBytes: 6100 })
      assert.deepStrictEqual([...again.uncommitted], [[0, 1008], [1, 0]])
      assert.deepStrictEqual(again.info().map(({ blockBytes, blocks, file }) => [file, blockBytes, blocks]), [[
        0,
        6024,
        1
      ], [1, 408, 0]])
      assert.deepStrictEqual(yield* again.readBlock(whole!.block), block(400, 2))
      assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), [
        "blk00000.dat",
        "blk00001.dat",
        "rev00000.dat",
        "xor.dat"
      ])
      assert.strictEqual(fs.statSync(join(directory, "blk00001.dat")).size, 408)
      assert.deepStrictEqual(yield* again.appendBlock(block(50, 9), 1), { file: 1, offset: 416, size: 50 })
      yield* again.close
    }))

  it.effect("start a new file where 128 MiB would be exceeded, and go back to old files for undo data", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const almostFull: BlockFileInfo = {
        file: 3,
        blockBytes: MAX_FILE_BYTES - 108,
        undoBytes: 0,
        blocks: 9,
        lowestHeight: 5,
        highestHeight: 20
      }
      fs.writeFileSync(join(directory, "blk00003.dat"), "")
      fs.truncateSync(join(directory, "blk00003.dat"), almostFull.blockBytes)
      const files = yield* open(directory, [almostFull])
      const last = yield* files.appendBlock(block(100, 1), 21)
      const first = yield* files.appendBlock(block(81, 2), 22)
      assert.deepStrictEqual([last.file, last.offset], [3, MAX_FILE_BYTES - 100])
      assert.deepStrictEqual(first, { file: 4, offset: 8, size: 81 })
      assert.strictEqual((yield* files.appendUndo(3, PREVIOUS, block(10, 3), 21)).file, 3)
      assert.strictEqual(fs.statSync(join(directory, "blk00003.dat")).size, MAX_FILE_BYTES)
      assert.deepStrictEqual(
        files.takeChangedInfo().map((
          { blocks, file, highestHeight, lowestHeight }
        ) => [file, blocks, lowestHeight, highestHeight]),
        [[3, 10, 5, 21], [4, 1, 22, 22]]
      )
      yield* files.close
    }))

  it.effect("are removed whole, and stay gone", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const facts = { undoBytes: 0, blocks: 1, lowestHeight: 1, highestHeight: 1 }
      for (const name of ["blk00000.dat", "blk00001.dat"]) fs.writeFileSync(join(directory, name), new Uint8Array(100))
      const files = yield* open(directory, [{ file: 0, blockBytes: 100, ...facts }, {
        file: 1,
        blockBytes: 100,
        ...facts
      }])
      yield* files.removeFiles([0])
      assert.deepStrictEqual(files.info().map(({ file }) => file), [1])
      assert.isFalse(fs.existsSync(join(directory, "blk00000.dat")))
      assert.strictEqual((yield* files.appendBlock(block(90, 1), 3)).file, 1)
      yield* files.close
    }))

  it.effect("refuse to remove a store of blocks of which nothing is committed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(join(directory, "blk00000.dat"), new Uint8Array(5000))
      const error = yield* failure(open(directory))
      assert.strictEqual(error.reason, "missing")
      assert.include(error.message, "lockstep rebuild")
      assert.isTrue(fs.existsSync(join(directory, "blk00000.dat")))
    }))

  it.effect("are taken as found by a rebuild, which writes behind them", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const files = yield* open(directory)
      const [place] = yield* fill(files, [700])
      yield* files.close
      const again = yield* open(directory, "as found")
      assert.deepStrictEqual(yield* again.readBlock(place!.block), block(700, 0))
      // Undo data of before stay until they are written again: a rebuild that cannot go on has destroyed nothing.
      assert.isTrue(fs.existsSync(join(directory, "rev00000.dat")))
      again.adoptBlock(place!.block, 12)
      assert.strictEqual((yield* again.appendUndo(0, PREVIOUS, block(10, 3), 12)).file, 0)
      assert.strictEqual((yield* again.appendBlock(block(90, 1), 13)).file, 1)
      assert.deepStrictEqual(
        again.takeChangedInfo().map(({ blocks, file, lowestHeight }) => [file, blocks, lowestHeight]),
        [[0, 1, 12], [1, 1, 13]]
      )
      yield* again.close
    }))
})

describe("Bitcoin Core's block files", () => {
  it.effect("are read in place by their own numbers and key, and never written to", () =>
    Effect.gen(function*() {
      const reference = yield* temporaryDirectory
      const theirs = yield* open(reference)
      const [place] = yield* fill(theirs, [600])
      yield* theirs.close
      const before = fs.readFileSync(join(reference, "blk00000.dat"))
      const directory = yield* temporaryDirectory
      const files = yield* open(directory, [], { coreBlocks: reference })
      const there = { ...place!.block, file: CORE_FILES }
      assert.deepStrictEqual(yield* files.readBlock(there), block(600, 0))
      assert.deepStrictEqual(
        yield* files.readUndo({ ...place!.undo, file: CORE_FILES }, PREVIOUS),
        block(300, 100)
      )
      files.adoptBlock(there, 77)
      const undo = yield* files.appendUndo(CORE_FILES, PREVIOUS, block(30, 1), 77)
      assert.strictEqual(undo.file, 0)
      assert.deepStrictEqual(yield* files.readUndo(undo, PREVIOUS), block(30, 1))
      const info = files.takeChangedInfo()
      assert.deepStrictEqual(info, [{
        file: 0,
        blockBytes: 0,
        undoBytes: 70,
        blocks: 0,
        lowestHeight: 77,
        highestHeight: 77
      }])
      assert.strictEqual((yield* files.appendBlock(block(90, 1), 78)).file, 0)
      yield* files.close
      assert.deepStrictEqual(fs.readFileSync(join(reference, "blk00000.dat")), before)
      const again = yield* open(directory, info, { coreBlocks: reference })
      assert.deepStrictEqual(yield* again.readUndo(undo, PREVIOUS), block(30, 1))
      yield* again.close
    }))

  it.effect("are named when they are damaged", () =>
    Effect.gen(function*() {
      const reference = yield* temporaryDirectory
      fs.writeFileSync(join(reference, "blk00002.dat"), new Uint8Array(50))
      const files = yield* open(yield* temporaryDirectory, [], { coreBlocks: reference })
      const error = yield* failure(files.readBlock({ file: CORE_FILES + 2, offset: 8, size: 100 }))
      assert.include(error.message, `${join(reference, "blk00002.dat")} ends within`)
      assert.include(error.message, "Bitcoin Core")
      assert.strictEqual(
        (yield* failure(files.readBlock({ file: CORE_FILES + 3, offset: 8, size: 9 }))).reason,
        "missing"
      )
      yield* files.close
    }))
})
