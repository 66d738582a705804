import { assert, describe, it } from "vitest"
import type { BlockFileInfo } from "../../../src/storage/block-files/block-files.ts"
import { type FileTable, fileTable } from "../../../src/storage/block-files/file-table.ts"

const MOST = 1_000

/** Puts a block of so many bytes where there is room; answers in which file. */
const addBlock = (table: FileTable, size: number, height: number): number => {
  const { file, offset } = table.roomForBlock(size, height)
  table.addBlock(file, offset + size, height)
  return file
}

const addUndo = (table: FileTable, blockFile: number, size: number, height: number): number => {
  const { file, offset } = table.roomForUndo(blockFile)
  table.addUndo(file, offset + size, height)
  return file
}

const infoOf = (table: FileTable, file: number): BlockFileInfo | undefined =>
  table.all().find((info) => info.file === file)

const heightsOf = (table: FileTable, file: number): readonly [number, number] | undefined => {
  const info = infoOf(table, file)
  return info && [info.lowestHeight, info.highestHeight]
}

const REFERENCE = 1_000_000

describe("the table of block files", () => {
  it("fills a file to its last byte and begins the next one behind it", () => {
    const table = fileTable([], MOST)
    assert.strictEqual(addBlock(table, 600, 0), 0)
    assert.strictEqual(addBlock(table, 400, 1), 0)
    assert.strictEqual(addBlock(table, 1, 2), 1)
    assert.deepStrictEqual(table.roomForBlock(999, 0), { file: 1, offset: 1 })
    assert.deepStrictEqual(table.roomForBlock(1_000, 0), { file: 2, offset: 0 })
    assert.strictEqual(
      addBlock(fileTable([], MOST), 5_000, 0),
      0,
      "one that is too large for any file gets one of its own"
    )
  })

  it("puts blocks from a height on into files of their own while it is divided there", () => {
    const table = fileTable([], MOST)
    assert.strictEqual(addBlock(table, 100, 5), 0)
    table.divideAt(10)
    assert.deepStrictEqual(table.written(), [0])
    assert.deepStrictEqual([addBlock(table, 100, 10), addBlock(table, 100, 6), addBlock(table, 100, 11)], [1, 0, 1])
    assert.deepStrictEqual(table.written(), [0, 1])
    // Each side goes on in the next file that there is not yet.
    assert.deepStrictEqual([addBlock(table, 900, 7), addBlock(table, 900, 12), addBlock(table, 100, 8)], [2, 3, 2])
    assert.deepStrictEqual([heightsOf(table, 0), heightsOf(table, 1)], [[5, 6], [10, 11]])
    assert.deepStrictEqual(table.written(), [2, 3])
    // A start finds both sides again; one that is not divided any more goes on in the newest file.
    const again = fileTable(table.all(), MOST)
    again.divideAt(10)
    assert.deepStrictEqual(again.written(), [2, 3])
    again.divideAt(undefined)
    assert.deepStrictEqual([again.written(), addBlock(again, 10, 9)], [[3], 3])
  })

  it("begins a file for blocks below the height where all files are above it", () => {
    const table = fileTable([], MOST)
    addBlock(table, 100, 20)
    table.divideAt(10)
    assert.deepStrictEqual([addBlock(table, 10, 3), addBlock(table, 10, 21)], [1, 0])
  })

  it("keeps the heights of all that is in a file, whatever comes last", () => {
    const table = fileTable([], MOST)
    for (const height of [7, 9, 3, 5]) addBlock(table, 10, height)
    assert.deepStrictEqual(heightsOf(table, 0), [3, 9])
    // Undo data of a block that stands elsewhere count too.
    addUndo(table, REFERENCE, 10, 20)
    addUndo(table, REFERENCE, 10, 1)
    assert.deepStrictEqual(heightsOf(table, 0), [1, 20])
    table.adoptBlock(0, 30)
    table.adoptBlock(0, 8)
    assert.deepStrictEqual(heightsOf(table, 0), [1, 30])
    assert.deepStrictEqual(infoOf(table, 0), {
      file: 0,
      blockBytes: 40,
      undoBytes: 20,
      blocks: 6,
      lowestHeight: 1,
      highestHeight: 30
    })
  })

  it("takes the first height as it is, though it is above 0", () => {
    const byBlock = fileTable([], MOST)
    addBlock(byBlock, 10, 500)
    assert.deepStrictEqual(heightsOf(byBlock, 0), [500, 500])
    const byUndo = fileTable([], MOST)
    addUndo(byUndo, REFERENCE, 10, 500)
    addBlock(byUndo, 10, 600)
    assert.deepStrictEqual(heightsOf(byUndo, 0), [500, 600])
    const byAdoption = fileTable([{
      file: 0,
      blockBytes: 80,
      undoBytes: 0,
      blocks: 0,
      lowestHeight: 0,
      highestHeight: 0
    }], MOST)
    byAdoption.adoptBlock(0, 500)
    assert.deepStrictEqual(heightsOf(byAdoption, 0), [500, 500])
  })

  it("puts undo data beside their block, however full that file is, and never into another one", () => {
    const table = fileTable([], MOST)
    addBlock(table, 900, 0)
    addBlock(table, 900, 1)
    for (let n = 0; n < 4; n++) assert.strictEqual(addUndo(table, 0, 400, 0), 0)
    assert.strictEqual(addUndo(table, 1, 400, 1), 1)
    assert.deepStrictEqual([infoOf(table, 0)!.undoBytes, infoOf(table, 1)!.undoBytes], [1_600, 400])
  })

  it("begins a new file for undo data of blocks that stand elsewhere when the newest has its length", () => {
    const table = fileTable([], MOST)
    const files = Array.from({ length: 7 }, (_, height) => addUndo(table, REFERENCE + height, 400, height))
    assert.deepStrictEqual(files, [0, 0, 0, 1, 1, 1, 2])
    assert.deepStrictEqual(heightsOf(table, 0), [0, 2])
    assert.deepStrictEqual(heightsOf(table, 1), [3, 5])
    // Blocks of our own go on in the newest file.
    assert.strictEqual(addBlock(table, 100, 7), 2)
  })

  it("reports each change once, and begins behind the files that a rebuild found", () => {
    const found = [0, 3].map((file): BlockFileInfo => ({
      file,
      blockBytes: 500,
      undoBytes: 0,
      blocks: 0,
      lowestHeight: 0,
      highestHeight: 0
    }))
    const table = fileTable(found, MOST)
    assert.deepStrictEqual(table.takeChanged(), [])
    table.seal()
    assert.deepStrictEqual(table.takeChanged().map(({ file }) => file), [0, 3])
    assert.deepStrictEqual(table.takeChanged(), [])
    assert.deepStrictEqual(table.roomForBlock(1, 0), { file: 4, offset: 0 })
    addBlock(table, 10, 1)
    addUndo(table, 0, 10, 1)
    assert.sameMembers(table.takeChanged().map(({ file }) => file), [0, 4])
  })

  it("knows nothing more of a file that is removed, and does not report it", () => {
    const table = fileTable([], 100)
    for (let height = 0; height < 3; height++) addBlock(table, 100, height)
    table.remove(1)
    assert.deepStrictEqual(table.takeChanged().map(({ file }) => file), [0, 2])
    assert.deepStrictEqual(table.all().map(({ file }) => file), [0, 2])
    assert.strictEqual(table.size(), 200)
    assert.strictEqual(addBlock(table, 100, 3), 3)
  })
})
