import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { basename, join } from "node:path"
import { CORE_FILES } from "../../../src/storage/block-files/block-files.ts"
import { fileName, parseFileName } from "../../../src/storage/block-files/file-names.ts"
import { fileTable, MAX_FILE_BYTES } from "../../../src/storage/block-files/file-table.ts"
import type { Disk, DiskFile } from "../../../src/storage/disk/disk.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { block, disk, failure, open, PREVIOUS } from "./opened-files.ts"

/** A disk that notes what is done to block files, by their names. */
const noting = () => {
  const done: Array<string> = []
  const note = <A, E>(what: string, path: string, run: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      done.push(`${what} ${basename(path)}`)
      return run
    })
  const fileOf = (file: DiskFile): DiskFile => ({
    ...file,
    write: (bytes, offset) => note(`write ${bytes.length} at ${offset} of`, file.path, file.write(bytes, offset)),
    truncate: (size) => note(`cut to ${size}`, file.path, file.truncate(size)),
    sync: note("sync", file.path, file.sync),
    close: note("close", file.path, file.close)
  })
  const noted: Disk = {
    ...disk,
    open: (path, mode) => Effect.map(note(`open (${mode})`, path, disk.open(path, mode)), fileOf),
    remove: (path) => note("remove", path, disk.remove(path)),
    makeDirectory: (path) => note("make", path, disk.makeDirectory(path)),
    syncDirectory: (path) => note("sync directory", path, disk.syncDirectory(path))
  }
  return { noted, taken: () => done.splice(0) }
}

describe("what block files do to the disk", () => {
  it.effect("is one write for each record, and a sync of each file that changed, the directory only for new ones", () =>
    Effect.gen(function*() {
      const directory = join(yield* temporaryDirectory, "blocks")
      const { noted, taken } = noting()
      const files = yield* open(directory, [], { disk: noted, maxFileBytes: 400 })
      assert.strictEqual(taken()[0], "make blocks")
      yield* files.sync
      assert.deepStrictEqual(taken(), ["sync directory blocks"], "the key may be new")
      yield* files.sync
      assert.deepStrictEqual(taken(), [])
      yield* files.appendBlock(block(100, 1), 0)
      yield* files.appendBlock(block(100, 2), 1)
      assert.deepStrictEqual(taken(), [
        "open (create) blk00000.dat",
        "cut to 0 blk00000.dat",
        "write 108 at 0 of blk00000.dat",
        "write 108 at 108 of blk00000.dat"
      ])
      yield* files.appendUndo(0, PREVIOUS, block(10, 3), 0)
      assert.deepStrictEqual(taken(), [
        "open (create) rev00000.dat",
        "cut to 0 rev00000.dat",
        "write 50 at 0 of rev00000.dat"
      ])
      yield* files.sync
      assert.deepStrictEqual(taken(), ["sync blk00000.dat", "sync rev00000.dat", "sync directory blocks"])
      yield* files.appendBlock(block(100, 4), 2)
      yield* files.sync
      assert.deepStrictEqual(taken(), ["write 108 at 216 of blk00000.dat", "sync blk00000.dat"])
      yield* files.appendBlock(block(100, 5), 3)
      yield* files.sync
      assert.deepStrictEqual(taken().slice(-2), ["sync blk00001.dat", "sync directory blocks"])
      yield* files.close
      assert.sameMembers(taken(), ["close blk00000.dat", "close rev00000.dat", "close blk00001.dat"])
    }))

  it.effect("is to close, remove and never sync again files that are removed, and to sync their directory", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const name = basename(directory)
      const { noted, taken } = noting()
      const files = yield* open(directory, [], { disk: noted, maxFileBytes: 100 })
      for (const height of [0, 1, 2]) yield* files.appendBlock(block(90, height), height)
      yield* files.appendUndo(0, PREVIOUS, block(10, 3), 0)
      yield* files.sync
      yield* files.appendUndo(0, PREVIOUS, block(10, 3), 0)
      taken()
      yield* files.removeFiles([])
      assert.deepStrictEqual(taken(), [])
      yield* files.removeFiles([0, 1])
      assert.deepStrictEqual(taken(), [
        "close blk00000.dat",
        "remove blk00000.dat",
        "close rev00000.dat",
        "remove rev00000.dat",
        "close blk00001.dat",
        "remove blk00001.dat",
        `sync directory ${name}`
      ])
      yield* files.sync
      assert.deepStrictEqual(taken(), [])
      yield* files.close
    }))

  it.effect("is to read the one of a rebuild as found, without a sync of the directory", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(join(directory, "xor.dat"), new Uint8Array(8))
      const { noted, taken } = noting()
      const files = yield* open(directory, "as found", { disk: noted })
      taken()
      yield* files.sync
      assert.deepStrictEqual(taken(), [])
      yield* files.close
    }))
})

describe("block files", () => {
  it.effect("take blocks of any size one after another, and undo data as large", () =>
    Effect.gen(function*() {
      const files = yield* open(yield* temporaryDirectory)
      const sizes = [65_528, 65_529, 100, 300_000, 90]
      for (const [i, size] of sizes.entries()) {
        const blockPlace = yield* files.appendBlock(block(size, i), i)
        const undoPlace = yield* files.appendUndo(0, PREVIOUS, block(size, i + 50), i)
        assert.deepStrictEqual(yield* files.readBlock(blockPlace), block(size, i))
        assert.deepStrictEqual(yield* files.readUndo(undoPlace, PREVIOUS), block(size, i + 50))
      }
      yield* files.close
    }))

  it.effect("name the file of Bitcoin Core that is needed and what to do", () =>
    Effect.gen(function*() {
      const files = yield* open(yield* temporaryDirectory)
      const error = yield* failure(files.readBlock({ file: CORE_FILES + 7, offset: 8, size: 90 }))
      assert.deepInclude(error, { part: "block-files", operation: "read", reason: "missing" })
      assert.strictEqual(
        error.message,
        "Block file blk00007.dat of Bitcoin Core is needed: name its blocks directory again " +
          "([storage].core_blocks_dir), or run `lockstep rebuild`, after which its blocks are fetched from the network."
      )
      yield* files.close
    }))

  it.effect("name undo data that are damaged", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const files = yield* open(directory)
      yield* files.appendBlock(block(90, 1), 0)
      const place = yield* files.appendUndo(0, PREVIOUS, block(10, 3), 0)
      const error = yield* failure(files.readUndo(place, new Uint8Array(32)))
      const path = join(directory, "rev00000.dat")
      assert.deepInclude(error, { part: "undo-files", operation: "read", reason: "corrupt", path })
      assert.include(
        error.message,
        `${path} is damaged: the undo data of 10 bytes at offset 8 do not fit their checksum`
      )
      assert.include(error.message, "Restore the file from a backup")
      yield* files.close
    }))

  it("have names of five digits and more", () => {
    assert.deepStrictEqual([fileName("blk", 7), fileName("rev", 123_456)], ["blk00007.dat", "rev123456.dat"])
    assert.deepStrictEqual(parseFileName("rev00012.dat"), { kind: "rev", number: 12 })
    assert.deepStrictEqual(parseFileName("blk123456.dat"), { kind: "blk", number: 123_456 })
    for (const name of ["blk0012.dat", "blk000012.dat", "blk00012.dat.new", "xor.dat", "ablk00012.dat"]) {
      assert.isUndefined(parseFileName(name), name)
    }
  })

  it("have 128 MiB at most, go on in an empty table, and are in order however they came", () => {
    assert.strictEqual(MAX_FILE_BYTES, 134_217_728)
    const table = fileTable([], 1_000)
    table.seal()
    assert.deepStrictEqual(table.roomForBlock(10, 0), { file: 0, offset: 0 })
    const infos = [3, 1, 2].map((file) => ({
      file,
      blockBytes: 100 * file,
      undoBytes: 10 * file,
      blocks: 1,
      lowestHeight: 5,
      highestHeight: 6
    }))
    const known = fileTable(infos, 1_000)
    assert.deepStrictEqual(known.all().map(({ file }) => file), [1, 2, 3])
    assert.strictEqual(known.size(), 660)
    const full = fileTable([{ ...infos[0]!, undoBytes: 1_000 }], 1_000)
    assert.deepStrictEqual(full.roomForUndo(9), { file: 3, offset: 1_000 }, "exactly full is not above the length")
    const above = fileTable([{ ...infos[0]!, undoBytes: 1_001 }], 1_000)
    assert.deepStrictEqual(above.roomForUndo(9), { file: 4, offset: 0 })
    above.addUndo(4, 50, 9)
    assert.deepStrictEqual(above.all()[1], {
      file: 4,
      blockBytes: 0,
      undoBytes: 50,
      blocks: 0,
      lowestHeight: 9,
      highestHeight: 9
    })
  })
})
