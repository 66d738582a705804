import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import type { Disk } from "../../../src/storage/disk/disk.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { block, disk, failure, fill, open, PREVIOUS } from "./opened-files.ts"

describe("block files that are damaged", () => {
  const prepared = Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const files = yield* open(directory)
    const places = yield* fill(files, [400, 500])
    yield* files.close
    return { directory, committed: files.info(), places }
  })
  const flip = (path: string, at: number): void => {
    const content = fs.readFileSync(path)
    content[at]! ^= 0x10
    fs.writeFileSync(path, content)
  }

  for (const name of ["blk00000.dat", "rev00000.dat"]) {
    it.effect(`are named when ${name} is too short`, () =>
      Effect.gen(function*() {
        const { committed, directory } = yield* prepared
        const path = join(directory, name)
        fs.truncateSync(path, fs.statSync(path).size - 1)
        const error = yield* failure(open(directory, committed))
        assert.strictEqual(error.reason, "corrupt")
        assert.strictEqual(error.path, path)
        assert.include(error.message, `${path} is too short`)
        assert.include(error.message, "lockstep rebuild")
      }))

    it.effect(`are named when ${name} is gone`, () =>
      Effect.gen(function*() {
        const { committed, directory } = yield* prepared
        fs.rmSync(join(directory, name))
        const error = yield* failure(open(directory, committed))
        assert.include(error.message, `${join(directory, name)} is missing`)
        assert.strictEqual(fs.existsSync(join(directory, name)), false)
      }))
  }

  it.effect("are named when they become shorter while open", () =>
    Effect.gen(function*() {
      const { committed, directory, places } = yield* prepared
      const files = yield* open(directory, committed)
      fs.truncateSync(join(directory, "blk00000.dat"), 600)
      const error = yield* failure(files.readBlock(places[1]!.block))
      assert.include(error.message, "blk00000.dat ends within the block of 500 bytes at offset 416")
      assert.deepStrictEqual(yield* files.readBlock(places[0]!.block), block(400, 0))
    }))

  it.effect("are named when a bit of a record's head or of undo data is flipped", () =>
    Effect.gen(function*() {
      const { committed, directory, places } = yield* prepared
      flip(join(directory, "blk00000.dat"), 0)
      flip(join(directory, "blk00000.dat"), 408 + 4)
      const files = yield* open(directory, committed)
      assert.include((yield* failure(files.readBlock(places[0]!.block))).message, "no record of this network")
      assert.include((yield* failure(files.readBlock(places[1]!.block))).message, "its length is")
      const { size } = fs.statSync(join(directory, "rev00000.dat"))
      for (let at = 8; at < size; at += 7) {
        flip(join(directory, "rev00000.dat"), at)
        const outcomes = [
          yield* Effect.result(files.readUndo(places[0]!.undo, PREVIOUS)),
          yield* Effect.result(files.readUndo(places[1]!.undo, PREVIOUS))
        ]
        const damaged = outcomes.filter(({ _tag }) => _tag === "Failure")
        assert.strictEqual(damaged.length, 1, `bit of byte ${at}`)
        flip(join(directory, "rev00000.dat"), at)
      }
      const error = yield* failure(files.readUndo(places[0]!.undo, new Uint8Array(32)))
      assert.strictEqual(error.part, "undo-files")
      assert.include(error.message, "do not fit their checksum")
    }))

  it.effect("are named when their key is", () =>
    Effect.gen(function*() {
      const { committed, directory } = yield* prepared
      fs.writeFileSync(join(directory, "xor.dat"), "short")
      const error = yield* failure(open(directory, committed))
      assert.strictEqual(error.path, join(directory, "xor.dat"))
      assert.strictEqual(error.reason, "corrupt")
    }))
})

describe("block files on a disk that fails", () => {
  /** A disk whose next write or sync fails half-way, as often as `left` says. */
  const failing = (left: { write: number; sync: number }): Disk => ({
    ...disk,
    open: (path, mode) =>
      Effect.map(disk.open(path, mode), (file) => ({
        ...file,
        write: (bytes, offset) =>
          left.write-- > 0
            ? Effect.flatMap(file.write(bytes.subarray(0, bytes.length >> 1), offset), () => fault("full", path))
            : file.write(bytes, offset),
        sync: Effect.suspend(() => left.sync-- > 0 ? fault("io", path) : file.sync)
      }))
  })
  const fault = (reason: "full" | "io", path: string) =>
    Effect.fail(new StorageError({ part: "block-files", operation: "write", reason, path, message: `no ${path}` }))

  it.effect("write over what a failed append left", () =>
    Effect.gen(function*() {
      const left = { write: 0, sync: 0 }
      const files = yield* open(yield* temporaryDirectory, [], { disk: failing(left) })
      const [first] = yield* fill(files, [1000])
      left.write = 1
      assert.strictEqual((yield* failure(files.appendBlock(block(5000, 1), 1))).reason, "full")
      const second = yield* files.appendBlock(block(100, 2), 1)
      assert.deepStrictEqual(second, { file: 0, offset: 1016, size: 100 })
      assert.deepStrictEqual(yield* files.readBlock(second), block(100, 2))
      assert.deepStrictEqual(yield* files.readBlock(first!.block), block(1000, 0))
      yield* files.close
    }))

  it.effect("never call a sync done after one that failed", () =>
    Effect.gen(function*() {
      const left = { write: 0, sync: 0 }
      const files = yield* open(yield* temporaryDirectory, [], { disk: failing(left) })
      yield* fill(files, [1000])
      left.sync = 1
      assert.strictEqual((yield* failure(files.sync)).reason, "io")
      assert.strictEqual((yield* failure(files.sync)).reason, "io")
    }))
})
