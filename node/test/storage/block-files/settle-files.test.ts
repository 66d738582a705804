import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { basename, join } from "node:path"
import type { BlockFileInfo } from "../../../src/storage/block-files/block-files.ts"
import { removePrunedRest, settleFiles, takeFilesAsFound } from "../../../src/storage/block-files/settle-files.ts"
import { NO_XOR } from "../../../src/storage/block-files/xor-key.ts"
import type { Disk } from "../../../src/storage/disk/disk.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda)

const infoOf = (file: number, blockBytes: number, undoBytes = 0): BlockFileInfo => ({
  file,
  blockBytes,
  undoBytes,
  blocks: 1,
  lowestHeight: 0,
  highestHeight: 0
})

/** A block's record: magic, length, and as many bytes. */
const record = (size: number): Buffer => {
  const bytes = Buffer.alloc(8 + size, 1)
  bytes.set(MAGIC)
  bytes.writeUInt32LE(size, 4)
  return bytes
}

/** A disk that reports what is changed in a directory. */
const watchedDisk = (): { readonly disk: Disk; readonly seen: Array<string> } => {
  const disk = nodeDisk("block-files")
  const seen: Array<string> = []
  return {
    seen,
    disk: {
      ...disk,
      remove: (path) => Effect.tap(disk.remove(path), () => Effect.sync(() => seen.push(`remove ${basename(path)}`))),
      syncDirectory: (path) => Effect.tap(disk.syncDirectory(path), () => Effect.sync(() => seen.push("sync")))
    }
  }
}

const settle = (disk: Disk, directory: string, committed: ReadonlyArray<BlockFileInfo>) =>
  settleFiles({ disk, directory, names: fs.readdirSync(directory), committed, magic: MAGIC, key: NO_XOR })

const sizeOf = (directory: string, name: string): number => fs.statSync(join(directory, name)).size

describe("files at opening", () => {
  it.effect("that no commit names are removed, and that lasts", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { disk, seen } = watchedDisk()
      for (const name of ["blk00002.dat", "rev00002.dat", "rev00000.dat", "xor.dat", "blk1.dat"]) {
        fs.writeFileSync(join(directory, name), "")
      }
      fs.writeFileSync(join(directory, "blk00001.dat"), record(90))
      const settled = yield* settle(disk, directory, [infoOf(1, 98)])
      assert.deepStrictEqual(settled, { infos: [infoOf(1, 98)], uncommitted: new Map() })
      assert.deepStrictEqual(seen, ["remove blk00002.dat", "remove rev00000.dat", "remove rev00002.dat", "sync"])
      assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), ["blk00001.dat", "blk1.dat", "xor.dat"])
      seen.length = 0
      yield* settle(disk, directory, [infoOf(1, 98)])
      assert.deepStrictEqual(seen, [])
    }))

  it.effect("of a first start that was cut short go: 4,096 bytes, but not one more", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { disk } = watchedDisk()
      fs.writeFileSync(join(directory, "blk00000.dat"), new Uint8Array(4_000))
      fs.writeFileSync(join(directory, "blk00001.dat"), new Uint8Array(97))
      fs.writeFileSync(join(directory, "rev00000.dat"), new Uint8Array(10_000))
      const error = yield* Effect.flip(settle(disk, directory, []))
      assert.deepStrictEqual([error.reason, error.operation, error.path], ["missing", "open", directory])
      assert.lengthOf(fs.readdirSync(directory), 3)
      fs.truncateSync(join(directory, "blk00001.dat"), 96)
      assert.deepStrictEqual(yield* settle(disk, directory, []), { infos: [], uncommitted: new Map() })
      assert.deepStrictEqual(fs.readdirSync(directory), [])
    }))

  it.effect("keep whole blocks behind the last commit, also in a newer file; what follows them is cut off", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { disk, seen } = watchedDisk()
      const cut = record(300).subarray(0, 307)
      fs.writeFileSync(join(directory, "blk00003.dat"), Buffer.concat([record(90), record(100), record(81), cut]))
      fs.writeFileSync(join(directory, "rev00003.dat"), new Uint8Array(50))
      fs.writeFileSync(join(directory, "blk00004.dat"), Buffer.concat([record(200), record(80)]))
      fs.writeFileSync(join(directory, "rev00004.dat"), new Uint8Array(7))
      fs.writeFileSync(join(directory, "blk00002.dat"), record(90))
      const { infos, uncommitted } = yield* settle(disk, directory, [infoOf(3, 98, 40)])
      assert.deepStrictEqual([...uncommitted], [[3, 98], [4, 0]])
      assert.deepStrictEqual(infos, [
        infoOf(3, 98 + 108 + 89, 40),
        { file: 4, blockBytes: 208, undoBytes: 0, blocks: 0, lowestHeight: 0, highestHeight: 0 }
      ])
      assert.deepStrictEqual(
        ["blk00003.dat", "rev00003.dat", "blk00004.dat"].map((name) => sizeOf(directory, name)),
        [98 + 108 + 89, 40, 208]
      )
      // Older than the last commit: it was to be removed.
      assert.include(seen, "remove blk00002.dat")
      assert.include(seen, "remove rev00004.dat")
      assert.strictEqual(seen.at(-1), "sync")
    }))

  it.effect("keep blocks from 81 bytes to 4,000,000", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { disk } = watchedDisk()
      for (const [size, isKept] of [[80, false], [81, true], [4_000_000, true], [4_000_001, false]] as const) {
        fs.writeFileSync(join(directory, "blk00000.dat"), Buffer.concat([record(90), record(size)]))
        yield* settle(disk, directory, [infoOf(0, 98)])
        assert.strictEqual(sizeOf(directory, "blk00000.dat"), isKept ? 106 + size : 98)
      }
    }))

  it.effect("are those before the first gap for a rebuild of a node that prunes, and the rest is removed", () =>
    Effect.gen(function*() {
      const { disk } = watchedDisk()
      const left = Effect.fnUntraced(function*(...names: ReadonlyArray<string>) {
        const directory = yield* temporaryDirectory
        for (const name of names) fs.writeFileSync(join(directory, name), "x")
        const answer = yield* removePrunedRest(disk, directory, names)
        assert.sameMembers([...answer], fs.readdirSync(directory))
        return answer
      })
      const pair = (number: number) => [`blk0000${number}.dat`, `rev0000${number}.dat`]
      assert.deepStrictEqual(yield* left(...pair(0), ...pair(1), ...pair(3), "xor.dat", ".lock"), [
        "blk00000.dat",
        "blk00001.dat",
        "xor.dat",
        ".lock"
      ])
      assert.deepStrictEqual(yield* left(...pair(2), ...pair(3), "xor.dat"), ["xor.dat"])
      assert.deepStrictEqual(yield* left(...pair(0)), ["blk00000.dat"])
    }))

  it.effect("are as found for a rebuild: each file of blocks with its length, in order", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { disk } = watchedDisk()
      for (const [name, size] of [["blk00010.dat", 7], ["blk00002.dat", 3], ["rev00002.dat", 9]] as const) {
        fs.writeFileSync(join(directory, name), new Uint8Array(size))
      }
      const found = yield* takeFilesAsFound(disk, directory, ["blk00010.dat", "rev00002.dat", "blk00002.dat", "x"])
      const none = { undoBytes: 0, blocks: 0, lowestHeight: 0, highestHeight: 0 }
      assert.deepStrictEqual(found, [{ file: 2, blockBytes: 3, ...none }, { file: 10, blockBytes: 7, ...none }])
    }))
})
