import { assert, describe, it } from "@effect/vitest"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { CORE_FILES, type FilePosition } from "../../../src/storage/block-files/block-files.ts"
import { blockReader } from "../../../src/storage/block-files/block-reader.ts"
import { openBlockFiles } from "../../../src/storage/block-files/open-block-files.ts"
import { undoCodec } from "../../../src/storage/block-files/undo-codec.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { plantOn, plantedRoot } from "../../engine/planted-blocks.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { disk, MAGIC, PREVIOUS } from "./opened-files.ts"

const BLOCK = plantOn(plantedRoot(), 1)
const HASH = BLOCK.node.hash
const UNDO: BlockUndo = {
  spent: [[{ value: 5n, script: Uint8Array.of(0x51), height: 1, isCoinbase: true }]],
  replaced: []
}
const KEYS = { plain: new Uint8Array(8), xored: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 250) } as const

/** A directory with one block and its undo data, written with a key. */
const written = Effect.fnUntraced(function*(key: keyof typeof KEYS, undo = undoCodec().encode(UNDO)) {
  const directory = yield* temporaryDirectory
  fs.writeFileSync(join(directory, "xor.dat"), KEYS[key])
  const files = yield* openBlockFiles({ disk, directory, magic: MAGIC, committed: [], coreBlocks: undefined })
  yield* files.appendBlock(new Uint8Array(90), 0)
  const block = yield* files.appendBlock(BLOCK.bytes, 1)
  const rev = yield* files.appendUndo(0, PREVIOUS, undo, 1)
  yield* files.close
  return { directory, block, rev }
})

const readerOf = (directory: string, coreBlocks?: string) =>
  blockReader({ disk, directory, coreBlocks, magic: MAGIC, crypto: testCrypto })

/** Flips a bit of a file. */
const damage = (path: string, at: number): void => {
  const bytes = fs.readFileSync(path)
  bytes[at]! ^= 1
  fs.writeFileSync(path, bytes)
}

const REMEDY = /\. Restore the file from a backup, or run `lockstep rebuild`/

const refused = <A>(read: Effect.Effect<A, StorageError>, part: StorageError["part"], words: string) =>
  Effect.map(Effect.flip(read), (error) => {
    assert.deepInclude(error, { part, operation: "read", reason: "corrupt" })
    assert.include(error.message, words)
    return error.message
  })

describe("the reader of block files", () => {
  for (const key of ["plain", "xored"] as const) {
    it.effect(`gives back the ${key} block, its bytes and its undo data`, () =>
      Effect.gen(function*() {
        const { block, directory, rev } = yield* written(key)
        const reader = yield* readerOf(directory)
        assert.deepStrictEqual((yield* reader.block(block, HASH)).bytes, BLOCK.bytes)
        assert.deepStrictEqual(yield* reader.bytes(block, HASH), BLOCK.bytes)
        assert.deepStrictEqual(yield* reader.unjudgedBytes(block, HASH), BLOCK.bytes)
        assert.deepStrictEqual(yield* reader.undo(rev, PREVIOUS), UNDO)
      }))
  }

  it.effect("reads files that have no key beside them as they are", () =>
    Effect.gen(function*() {
      const { block, directory } = yield* written("plain")
      fs.rmSync(join(directory, "xor.dat"))
      const reader = yield* readerOf(directory)
      assert.deepStrictEqual(yield* reader.bytes(block, HASH), BLOCK.bytes)
    }))

  it.effect("reads files of Bitcoin Core by their own numbers and key, beside ours", () =>
    Effect.gen(function*() {
      const [ours, core] = [yield* written("xored"), yield* written("plain")]
      const reader = yield* readerOf(ours.directory, core.directory)
      const inCore = (position: FilePosition): FilePosition => ({ ...position, file: CORE_FILES + position.file })
      assert.deepStrictEqual(yield* reader.bytes(inCore(core.block), HASH), BLOCK.bytes)
      assert.deepStrictEqual(yield* reader.undo(inCore(core.rev), PREVIOUS), UNDO)
      assert.deepStrictEqual(yield* reader.bytes(ours.block, HASH), BLOCK.bytes)
      damage(join(core.directory, "blk00000.dat"), core.block.offset + 100)
      const message = yield* refused(reader.bytes(inCore(core.block), HASH), "block-files", "is damaged at ")
      assert.include(message, join(core.directory, "blk00000.dat"))
      assert.match(message, /It belongs to Bitcoin Core: repair it there/)
    }))

  it.effect("names a block that is damaged, another one, or cut short, with its place", () =>
    Effect.gen(function*() {
      const { block, directory } = yield* written("xored")
      const path = join(directory, "blk00000.dat")
      const at = `${path} is damaged at ${block.offset}: `
      const reader = yield* readerOf(directory)
      const other = new Uint8Array(32)
      const looked = `${at}the block there is not the one that is looked for`
      assert.match(yield* refused(reader.unjudgedBytes(block, other), "block-files", looked), REMEDY)
      yield* refused(
        reader.block(block, other),
        "block-files",
        `${at}the block there is not what its header commits to`
      )
      const longer = { ...block, size: block.size + 1 }
      yield* refused(reader.bytes(longer, HASH), "block-files", `${at}it ends too early`)
      const shorter = { ...block, size: block.size - 1 }
      const words = `${at}its length is ${block.size} there, not ${block.size - 1}`
      yield* refused(reader.bytes(shorter, HASH), "block-files", words)
      const beside = { ...block, offset: block.offset - 1 }
      yield* refused(reader.bytes(beside, HASH), "block-files", "no record of this network starts there")
      // Behind the header a block that is checked anyway may be anything.
      damage(path, block.offset + 80)
      assert.lengthOf(yield* reader.unjudgedBytes(block, HASH), block.size)
      yield* refused(reader.bytes(block, HASH), "block-files", at)
      yield* refused(reader.block(block, HASH), "block-files", at)
      damage(path, block.offset + 79)
      yield* refused(reader.unjudgedBytes(block, HASH), "block-files", looked)
    }))

  it.effect("names undo data whose checksum does not fit, that are cut short, or that are none", () =>
    Effect.gen(function*() {
      const { directory, rev } = yield* written("xored")
      const path = join(directory, "rev00000.dat")
      const at = `${path} is damaged at ${rev.offset}: `
      const reader = yield* readerOf(directory)
      assert.match(yield* refused(reader.undo(rev, HASH), "undo-files", `${at}the checksum does not fit`), REMEDY)
      for (const place of [rev.offset, rev.offset + rev.size, rev.offset + rev.size + 31]) {
        damage(path, place)
        yield* refused(reader.undo(rev, PREVIOUS), "undo-files", `${at}the checksum does not fit`)
        damage(path, place)
      }
      assert.deepStrictEqual(yield* reader.undo(rev, PREVIOUS), UNDO)
      fs.truncateSync(path, rev.offset + rev.size + 31)
      yield* refused(reader.undo(rev, PREVIOUS), "undo-files", `${at}it ends too early`)
      const none = yield* written("plain", Uint8Array.of(7))
      const late = yield* readerOf(none.directory)
      yield* refused(late.undo(none.rev, PREVIOUS), "undo-files", "the undo data cannot be decoded")
    }))
})

describe("where a file begins with a block", () => {
  it.effect("is found by the block's bytes, and nowhere by those of another or of none", () =>
    Effect.gen(function*() {
      for (const key of ["plain", "xored"] as const) {
        const directory = yield* temporaryDirectory
        fs.writeFileSync(join(directory, "xor.dat"), KEYS[key])
        const options = { disk, directory, magic: MAGIC, coreBlocks: undefined, maxFileBytes: 300 } as const
        const files = yield* openBlockFiles({ ...options, committed: [] })
        const blocks = [1, 2, 3].map((seed) => new Uint8Array(200).fill(seed))
        for (const [height, bytes] of blocks.entries()) yield* files.appendBlock(bytes, height)
        yield* files.close
        const again = yield* openBlockFiles({ ...options, committed: files.info() })
        for (const [file, bytes] of blocks.entries()) {
          assert.deepStrictEqual(yield* again.findFirst(bytes), { file, offset: 8, size: 200 })
        }
        for (const size of [199, 201]) assert.isUndefined(yield* again.findFirst(new Uint8Array(size).fill(2)))
        const other = blocks[1]!.slice()
        other[199] = 9
        assert.isUndefined(yield* again.findFirst(other))
        yield* again.close
      }
    }))
})
