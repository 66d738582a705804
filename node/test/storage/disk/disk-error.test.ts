import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { diskError } from "../../../src/storage/disk/disk-error.ts"
import { makeDirectory } from "../../../src/storage/disk/make-directory.ts"
import { nameAside } from "../../../src/storage/disk/name-aside.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { syncDirectory } from "../../../src/storage/disk/sync-directory.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const ofCode = (code: unknown): StorageError =>
  diskError("index", "write", "/x", Object.assign(new Error("raw"), { code }))

describe("an error of the disk", () => {
  it("has a reason, a meaning and a remedy for each code of the system", () => {
    const meanings: ReadonlyArray<readonly [string, StorageError["reason"], string]> = [
      ["ENOSPC", "full", "no space is left on the device (ENOSPC). Free some space, then start again."],
      ["EDQUOT", "full", "the disk quota is used up (EDQUOT). Free some space or raise the quota, then start again."],
      ["EFBIG", "full", "the file is larger than the file system or a limit allows (EFBIG). Raise the limit"],
      ["ENOENT", "missing", "it does not exist (ENOENT). Check the path, or restore what was removed."],
      ["ENOTDIR", "io", "a part of the path is a file, not a directory (ENOTDIR). Move the file away"],
      ["EISDIR", "io", "it is a directory, not a file (EISDIR). Move the directory away."],
      ["ERR_FS_EISDIR", "io", "it is a directory, not a file (ERR_FS_EISDIR). Move the directory away."],
      ["EEXIST", "io", "a file is there already, or a link that leads nowhere (EEXIST). Move it away"],
      ["EACCES", "io", "permission is denied (EACCES). Give the user"],
      ["EPERM", "io", "permission is denied (EPERM). Give the user"],
      ["EROFS", "io", "the file system is read-only (EROFS). Mount it for writing"],
      ["EIO", "io", "the device reports an input/output error (EIO). Check the disk"],
      ["EMFILE", "io", "too many files are open (EMFILE). Raise the limit of open files (ulimit -n)."],
      ["ENFILE", "io", "too many files are open on this machine (ENFILE). Raise the limit of open files."],
      ["ENAMETOOLONG", "io", "the path is too long (ENAMETOOLONG). Choose a shorter data directory."],
      ["ELOOP", "io", "symbolic links lead in a circle (ELOOP). Mend the links."]
    ]
    for (const [code, reason, words] of meanings) {
      const error = ofCode(code)
      assert.deepInclude(error, { part: "index", operation: "write", path: "/x", reason })
      assert.isTrue(error.message.startsWith(`Cannot write /x: ${words}`), error.message)
    }
  })

  it("is what was thrown where the code is unknown, none, or what was thrown is no error", () => {
    const causes = [["EODD", "raw"], [5, "raw"], [undefined, "raw"]] as const
    for (const [code, words] of causes) {
      const error = ofCode(code)
      assert.strictEqual(error.reason, "io")
      assert.strictEqual(error.message, `Cannot write /x: ${words}. Check the disk before starting again.`)
    }
    for (const thrown of ["a text", undefined, null, 7]) {
      const { message } = diskError("index", "write", "/x", thrown)
      assert.strictEqual(message, `Cannot write /x: ${String(thrown)}. Check the disk before starting again.`)
    }
    const typed = new StorageError({ part: "key-value", operation: "read", reason: "corrupt", message: "as it is" })
    assert.strictEqual(diskError("index", "write", "/x", typed), typed)
  })
})

describe("a failed operation of the disk", () => {
  const disk = nodeDisk("undo-files")
  const failed = <A>(effect: Effect.Effect<A, StorageError>) => Effect.flip(effect)

  it.effect("says which one it was, and of which part of the storage", () =>
    Effect.gen(function*() {
      const none = join(yield* temporaryDirectory, "none")
      const below = join(none, "below")
      const operations = {
        open: disk.open(none, "read"),
        rename: disk.rename(none, below),
        remove: disk.remove(none),
        list: disk.list(none),
        create: disk.makeDirectory(join("/dev/null", "x")),
        sync: disk.syncDirectory(none),
        replace: disk.replaceFile(below, new Uint8Array(1)),
        "measure the space of": disk.space(none)
      }
      for (const [operation, run] of Object.entries<Effect.Effect<unknown, StorageError>>(operations)) {
        const error = yield* failed(run)
        assert.deepInclude(error, { part: "undo-files", operation })
        assert.include(error.message, `Cannot ${operation} ${error.path}`)
      }
    }))

  it.effect("of a file that is closed says the same, and closing it again is harmless", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "file")
      const file = yield* disk.open(path, "create")
      yield* file.write(Uint8Array.of(1, 2, 3), 0)
      assert.strictEqual(yield* file.size, 3)
      assert.isAbove(yield* file.modified, 1_600_000_000_000)
      yield* file.close
      yield* file.close
      const operations = {
        write: file.write(Uint8Array.of(1), 0),
        read: file.read(0, 1),
        sync: file.sync,
        truncate: file.truncate(0),
        measure: file.size
      }
      for (const [operation, run] of Object.entries<Effect.Effect<unknown, StorageError>>(operations)) {
        assert.deepInclude(yield* failed(run), { part: "undo-files", operation, path, reason: "io" })
      }
      assert.strictEqual((yield* failed(file.modified)).operation, "measure")
      const directory = yield* disk.open(join(path, ".."), "read")
      assert.include((yield* failed(directory.size)).message, "it is a directory, not a file (EISDIR)")
      yield* directory.close
    }))
})

describe("a directory", () => {
  it.effect("is made with those above it and the rights that are asked for, and stays where it is there", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const deep = join(directory, "a", "b", "c")
      makeDirectory(deep, 0o700)
      fs.writeFileSync(join(deep, "file"), "1")
      makeDirectory(deep)
      assert.deepStrictEqual(fs.readdirSync(deep), ["file"])
      for (const path of [deep, join(deep, "..")]) assert.strictEqual(fs.statSync(path).mode & 0o777, 0o700)
      makeDirectory(join(directory, "open"))
      const mask = process.umask()
      assert.strictEqual(fs.statSync(join(directory, "open")).mode & 0o777, 0o777 & ~mask)
      const codeOf = (run: () => void): unknown => {
        try {
          run()
        } catch (error) {
          return (error as NodeJS.ErrnoException).code
        }
        return undefined
      }
      assert.strictEqual(codeOf(() => makeDirectory(join(deep, "file"))), "EEXIST")
      fs.symlinkSync(join(directory, "nowhere"), join(directory, "link"))
      assert.strictEqual(codeOf(() => makeDirectory(join(directory, "link"))), "EEXIST")
      assert.strictEqual(codeOf(() => syncDirectory(join(directory, "nowhere"))), "ENOENT")
      assert.isUndefined(codeOf(() => syncDirectory(directory)))
    }))

  it("sets a damaged file aside under a name that is free", () => {
    const names = ["store.damaged", "store.damaged-2"]
    assert.deepStrictEqual(
      [[], names.slice(0, 1), names, ["store.damaged-2"]].map((present) => nameAside("store", present)),
      ["store.damaged", "store.damaged-2", "store.damaged-3", "store.damaged"]
    )
  })
})
