import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import type { Disk } from "../../../src/storage/disk/disk.ts"
import { diskError } from "../../../src/storage/disk/disk-error.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { DISK_FAULTS, type DiskFault, makeFailingDisk } from "./failing-disk.ts"

const disk = nodeDisk("block-files")
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))
const text = (value: Uint8Array): string => Buffer.from(value).toString()

describe("disk", () => {
  it.effect("writes and reads at offsets, and reads less at the end", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "file")
      const file = yield* disk.open(path, "create")
      yield* file.write(bytes("hello world"), 5)
      assert.strictEqual(yield* file.size, 16)
      assert.deepStrictEqual(yield* file.read(0, 5), new Uint8Array(5))
      assert.strictEqual(text(yield* file.read(11, 100)), "world")
      assert.strictEqual((yield* file.read(99, 10)).length, 0)
      assert.strictEqual((yield* file.read(0, 0)).length, 0)
      yield* file.truncate(8)
      yield* file.sync
      yield* file.close
      yield* file.close
      assert.strictEqual(fs.readFileSync(path, "latin1"), "\0\0\0\0\0hel")
    }))

  it.effect("hands out bytes with memory of their own", () =>
    Effect.gen(function*() {
      const file = yield* disk.open(join(yield* temporaryDirectory, "file"), "create")
      yield* file.write(bytes("abcdef"), 0)
      const part = yield* file.read(0, 3)
      assert.strictEqual(part.buffer.byteLength, 3)
      assert.notInstanceOf(part, Buffer)
      yield* file.close
    }))

  it.effect("creates without emptying, and reads or changes only what is there", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "file")
      for (const mode of ["read", "read-write"] as const) {
        assert.strictEqual((yield* Effect.flip(disk.open(path, mode))).reason, "missing")
      }
      fs.writeFileSync(path, "kept")
      const created = yield* disk.open(path, "create")
      assert.strictEqual(text(yield* created.read(0, 10)), "kept")
      yield* created.close
      const reader = yield* disk.open(path, "read")
      assert.include((yield* Effect.flip(reader.write(bytes("x"), 0))).message, path)
      yield* reader.close
    }))

  it.effect("replaces a file completely, and leaves nothing beside it", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, "settings")
      yield* disk.replaceFile(path, bytes("a longer first version"))
      yield* disk.replaceFile(path, bytes("second"))
      assert.strictEqual(fs.readFileSync(path, "utf8"), "second")
      assert.deepStrictEqual(yield* disk.list(directory), ["settings"])
    }))

  it.effect("renames, removes, lists, makes directories and measures space", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const [deep, path] = [join(directory, "a", "b"), join(directory, "file")]
      yield* disk.makeDirectory(deep)
      yield* disk.makeDirectory(deep)
      fs.writeFileSync(path, "1")
      yield* disk.rename(path, join(deep, "moved"))
      yield* disk.syncDirectory(deep)
      assert.deepStrictEqual(yield* disk.list(deep), ["moved"])
      yield* disk.remove(join(deep, "moved"))
      assert.deepStrictEqual(yield* disk.list(deep), [])
      assert.strictEqual((yield* Effect.flip(disk.remove(join(deep, "moved")))).reason, "missing")
      assert.strictEqual((yield* Effect.flip(disk.rename(path, deep))).reason, "missing")
      const { free, total } = yield* disk.space(directory)
      assert.isAbove(free, 0)
      assert.isAtLeast(total, free)
    }))

  it.effect("says of each failure which path it is about, what it means and what to do", () =>
    Effect.gen(function*() {
      const meaning = (code: string): StorageError =>
        diskError("undo-files", "write", "/data/rev00001.dat", Object.assign(new Error("raw"), { code }))
      const reasons = {
        ENOSPC: "full",
        EDQUOT: "full",
        ENOENT: "missing",
        EIO: "io",
        EROFS: "io",
        EACCES: "io"
      } as const
      for (const [code, reason] of Object.entries(reasons)) {
        const error = meaning(code)
        assert.deepInclude(error, { reason, part: "undo-files", operation: "write", path: "/data/rev00001.dat" })
        assert.match(error.message, new RegExp(`^Cannot write /data/rev00001\\.dat: .* \\(${code}\\)\\. [A-Z].*\\.$`))
      }
      assert.include(meaning("EWHATEVER").message, "raw")
      assert.include(diskError("index", "read", "/x", "odd").message, "odd")
      const directory = yield* temporaryDirectory
      assert.include((yield* Effect.flip(disk.makeDirectory(join("/dev/null", "x")))).message, "/dev/null/x")
      assert.include((yield* Effect.flip(disk.open(directory, "create"))).message, "EISDIR")
    }))
})

/** A small life of a file, with every kind of operation. */
const work = (on: Disk, directory: string): Effect.Effect<void, StorageError> =>
  Effect.gen(function*() {
    yield* on.makeDirectory(join(directory, "blocks"))
    const file = yield* on.open(join(directory, "blocks", "one"), "create")
    yield* Effect.gen(function*() {
      yield* file.write(bytes("0123456789"), 0)
      yield* file.sync
      yield* file.read(0, 4)
      yield* file.truncate(yield* file.size)
    }).pipe(Effect.ensuring(file.close))
    yield* on.rename(join(directory, "blocks", "one"), join(directory, "blocks", "two"))
    yield* on.syncDirectory(join(directory, "blocks"))
    yield* on.replaceFile(join(directory, "settings"), bytes("x"))
    yield* on.list(directory)
    yield* on.space(directory)
    yield* on.remove(join(directory, "blocks", "two"))
  })

const reasonOf: Readonly<Record<DiskFault, string>> = {
  "no-space": "full",
  "io-error": "io",
  "short-write": "full",
  "failed-sync": "io",
  "failed-rename": "io"
}

describe("failing disk", () => {
  for (const fault of DISK_FAULTS) {
    it.effect(`${fault}: fails each operation in turn, once, and then none`, () =>
      Effect.gen(function*() {
        for (let at = 1; at < 30; at++) {
          const directory = yield* temporaryDirectory
          const failing = makeFailingDisk(disk, { fault, at })
          const outcome = yield* Effect.result(work(failing.disk, directory))
          if (outcome._tag === "Success") {
            assert.isAbove(at, 1)
            assert.strictEqual(failing.count(), at - 1)
            assert.strictEqual(failing.failures(), 0)
            return
          }
          assert.strictEqual(outcome.failure.reason, reasonOf[fault])
          assert.strictEqual(failing.failures(), 1)
          yield* work(failing.disk, directory)
        }
        assert.fail("the work never came through")
      }))
  }

  it.effect("a short write leaves half of the bytes", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.flip(work(makeFailingDisk(disk, { fault: "short-write", at: 1 }).disk, directory))
      assert.strictEqual(fs.readFileSync(join(directory, "blocks", "one"), "utf8"), "01234")
    }))

  it.effect("a lasting fault lasts until it is healed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const failing = makeFailingDisk(disk, { fault: "no-space", at: 1, lasting: true })
      for (let n = 0; n < 3; n++) yield* Effect.flip(work(failing.disk, directory))
      assert.strictEqual(failing.failures(), 3)
      failing.heal()
      yield* work(failing.disk, directory)
    }))
})
