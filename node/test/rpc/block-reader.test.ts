import { assert, describe, it } from "@effect/vitest"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Effect from "effect/Effect"
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { blockReader } from "../../src/storage/block-files/block-reader.ts"
import { CORE_FILES } from "../../src/storage/block-files/block-files.ts"
import { openBlockFiles } from "../../src/storage/block-files/open-block-files.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const { genesisBlock, magic, parameters: { genesisHash } } = NETWORKS.regtest
const disk = nodeDisk("block-files")
const PREVIOUS = new Uint8Array(32).fill(3)
const NO_UNDO = Uint8Array.of(0)

/** A directory with one block and its undo data, as the engine writes them, and a reader beside it. */
const written = Effect.gen(function*() {
  const directory = join(yield* temporaryDirectory, "blocks")
  const reader = yield* blockReader({ disk, directory, coreBlocks: directory, magic, crypto: nobleCrypto })
  const files = yield* openBlockFiles({ disk, directory, magic, committed: [], coreBlocks: undefined })
  const block = yield* files.appendBlock(genesisBlock, 0)
  const undo = yield* files.appendUndo(block.file, PREVIOUS, NO_UNDO, 0)
  return { directory, reader, files, block, undo }
})

describe("the reader of block files", () => {
  it.live("reads what the engine has just written, under a key made after the reader", () =>
    Effect.gen(function*() {
      const { block, files, reader, undo } = yield* written
      assert.deepStrictEqual([...(yield* reader.block(block, genesisHash)).bytes], [...genesisBlock])
      assert.deepStrictEqual((yield* reader.undo(undo, PREVIOUS)).spent, [])
      const next = yield* files.appendBlock(genesisBlock, 1)
      assert.deepStrictEqual([...(yield* reader.block(next, genesisHash)).bytes], [...genesisBlock])
    }))

  it.live("reads files of Bitcoin Core's directory in place", () =>
    Effect.gen(function*() {
      const { block, reader } = yield* written
      const inPlace = { ...block, file: block.file + CORE_FILES }
      assert.deepStrictEqual([...(yield* reader.block(inPlace, genesisHash)).bytes], [...genesisBlock])
    }))

  it.live("names a file that is damaged, cut off or gone", () =>
    Effect.gen(function*() {
      const { block, directory, reader, undo } = yield* written
      const path = join(directory, "blk00000.dat")
      const elsewhere = yield* Effect.flip(reader.block({ ...block, offset: block.offset + 1 }, genesisHash))
      assert.deepStrictEqual([elsewhere.reason, elsewhere.path], ["corrupt", path])
      const undoPath = join(directory, "rev00000.dat")
      const bytes = readFileSync(undoPath)
      bytes[undo.offset + undo.size]! ^= 1
      writeFileSync(undoPath, bytes)
      const wrongSum = yield* Effect.flip(reader.undo(undo, PREVIOUS))
      assert.deepStrictEqual([wrongSum.reason, wrongSum.path], ["corrupt", undoPath])
      const whole = readFileSync(path)
      // That it was whole before says nothing.
      assert.deepStrictEqual([...(yield* reader.bytes(block, genesisHash))], [...genesisBlock])
      for (const at of [0, 40, 79, 81, 200, block.size - 1]) {
        const damaged = Buffer.from(whole)
        damaged[block.offset + at]! ^= 16
        writeFileSync(path, damaged)
        const otherBlock = yield* Effect.flip(reader.block(block, genesisHash))
        const otherBytes = yield* Effect.flip(reader.bytes(block, genesisHash))
        for (const { path: named, reason } of [otherBlock, otherBytes]) {
          assert.deepStrictEqual([reason, named], ["corrupt", path])
        }
      }
      writeFileSync(path, whole)
      assert.deepStrictEqual([...(yield* reader.bytes(block, genesisHash))], [...genesisBlock])
      assert.deepStrictEqual([...(yield* reader.block(block, genesisHash)).bytes], [...genesisBlock])
      truncateSync(path, block.offset + 10)
      assert.strictEqual((yield* Effect.flip(reader.block(block, genesisHash))).reason, "corrupt")
      rmSync(path)
      assert.strictEqual((yield* Effect.flip(reader.block(block, genesisHash))).reason, "missing")
    }))
})
