import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { beginLmdbFile } from "../../../src/storage/key-value/begin-lmdb-file.ts"
import { beginStore } from "../../../src/storage/key-value/begin-store.ts"
import { ensureFreeSpace } from "../../../src/storage/key-value/ensure-free-space.ts"
import { wholeBatch } from "../../../src/storage/key-value/whole-batch.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

/** What an engine would leave behind: a file of its own. */
const begin = async (directory: string): Promise<void> => fs.writeFileSync(join(directory, "data"), "new")

const errorOf = (run: () => Promise<void>) =>
  Effect.promise(() => run().then(() => undefined, (error: unknown) => error))

describe("a store that is not there yet", () => {
  it.effect("is made beside its place and moved there, over what an earlier attempt left", () =>
    Effect.gen(function*() {
      const place = join(yield* temporaryDirectory, "store")
      fs.mkdirSync(`${place}.begun`)
      fs.writeFileSync(join(`${place}.begun`, "half"), "old")
      let workplace = ""
      yield* Effect.promise(() =>
        beginStore(place, async (directory) => {
          workplace = directory
          assert.deepStrictEqual(fs.readdirSync(directory), [])
          assert.isFalse(fs.existsSync(place))
          await begin(directory)
        })
      )
      assert.strictEqual(workplace, `${place}.begun`)
      assert.deepStrictEqual(fs.readdirSync(place), ["data"])
      assert.isFalse(fs.existsSync(workplace))
    }))

  it.effect("is begun in a directory that is there as it is, with all that lies there", () =>
    Effect.gen(function*() {
      const place = yield* temporaryDirectory
      // A disk of its own has directories and links of others.
      fs.mkdirSync(join(place, "lost+found"))
      fs.symlinkSync("nowhere", join(place, "link"))
      yield* Effect.promise(() => beginStore(place, begin))
      assert.deepStrictEqual(fs.readdirSync(place).toSorted(), ["data", "link", "lost+found"])
      assert.isFalse(fs.existsSync(`${place}.begun`))
    }))

  it.effect("is not there when the engine fails, and the engine's own error says why", () =>
    Effect.gen(function*() {
      const place = join(yield* temporaryDirectory, "store")
      const error = yield* errorOf(() => beginStore(place, () => Promise.reject(new Error("no such engine"))))
      assert.strictEqual((error as Error).message, "no such engine")
      assert.isFalse(fs.existsSync(place))
    }))

  it.effect("that cannot be made is an error about its own place", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryDirectory, "file")
      fs.writeFileSync(file, "")
      const place = join(file, "store")
      const made = yield* errorOf(() => beginStore(place, begin))
      assert.instanceOf(made, StorageError)
      const { operation, part, path } = made as StorageError
      assert.deepStrictEqual([part, operation, path], ["key-value", "create", place])
      const other = join(yield* temporaryDirectory, "store")
      const moved = yield* errorOf(() =>
        beginStore(other, async (directory) => fs.rmSync(directory, { recursive: true }))
      )
      assert.instanceOf(moved, StorageError)
      assert.deepStrictEqual([(moved as StorageError).operation, (moved as StorageError).path], ["sync", other])
    }))
})

describe("room for a store of LMDB", () => {
  const sizes = (directory: string) =>
    fs.readdirSync(directory).map((name) => [name, fs.statSync(join(directory, name)).size])

  it.effect("is made sure of before it is begun, and nothing but its lock file stays", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      ensureFreeSpace(directory, "data.mdb", "lock.mdb")
      assert.deepStrictEqual(sizes(directory), [["lock.mdb", 65_536]])
    }))

  it.effect("is not asked for by files that are there; empty ones and holes are none", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(join(directory, "lock.mdb"), "locks")
      fs.writeFileSync(join(directory, "data.mdb"), "pages")
      fs.mkdirSync(join(directory, "room.tmp"))
      ensureFreeSpace(directory, "data.mdb", "lock.mdb")
      assert.strictEqual(fs.readFileSync(join(directory, "lock.mdb"), "utf8"), "locks")
      fs.rmdirSync(join(directory, "room.tmp"))
      fs.truncateSync(join(directory, "lock.mdb"), 0)
      fs.truncateSync(join(directory, "lock.mdb"), 8_192)
      ensureFreeSpace(directory, "data.mdb", "lock.mdb")
      assert.strictEqual(fs.statSync(join(directory, "lock.mdb")).size, 65_536)
    }))

  it.effect("that is not there is the error of the write, and no leftover", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      fs.mkdirSync(join(directory, "room.tmp"))
      assert.throws(
        () => ensureFreeSpace(directory, "data.mdb", "lock.mdb"),
        /^EISDIR: illegal operation on a directory, open/
      )
      assert.isTrue(fs.existsSync(join(directory, "lock.mdb")))
      fs.rmSync(join(directory, "lock.mdb"))
      fs.symlinkSync(join(directory, "not", "there"), join(directory, "lock.mdb"))
      assert.throws(() => ensureFreeSpace(directory, "data.mdb", "lock.mdb"), /ENOENT/)
      assert.deepStrictEqual(fs.readdirSync(directory), ["room.tmp"])
    }))
})

describe("an empty file of LMDB", () => {
  it.live("is a copy of one that is made elsewhere, of which nothing stays", () =>
    Effect.gen(function*() {
      const [directory, elsewhere] = [yield* temporaryDirectory, yield* temporaryDirectory]
      const before = process.env["TMPDIR"]
      yield* Effect.acquireRelease(
        Effect.sync(() => void (process.env["TMPDIR"] = elsewhere)),
        () =>
          Effect.sync(() => {
            if (before === undefined) delete process.env["TMPDIR"]
            else process.env["TMPDIR"] = before
          })
      )
      const make = (fails: boolean) => async (place: string) => {
        assert.strictEqual(dirname(place), elsewhere)
        fs.writeFileSync(join(place, "data.mdb"), "empty")
        fs.writeFileSync(join(place, "lock.mdb"), "locks")
        if (fails) throw new Error("no such engine")
      }
      yield* Effect.promise(() => beginLmdbFile(directory, "data.mdb", make(false)))
      assert.deepStrictEqual(fs.readdirSync(directory), ["data.mdb"])
      assert.strictEqual(fs.readFileSync(join(directory, "data.mdb"), "utf8"), "empty")
      assert.strictEqual(fs.statSync(join(directory, "data.mdb")).mode & 0o111, 0)
      fs.rmSync(join(directory, "data.mdb"))
      const error = yield* errorOf(() => beginLmdbFile(directory, "data.mdb", make(true)))
      assert.strictEqual((error as Error).message, "no such engine")
      assert.deepStrictEqual(fs.readdirSync(directory), [])
      // They are removed while the node goes on.
      while (fs.readdirSync(elsewhere).length > 0) yield* Effect.sleep(5)
    }))
})

describe("a batch whose entry failed", () => {
  it("is refused with the first failure, however the filler went on", () => {
    const put: Array<Uint8Array> = []
    const batch = wholeBatch({
      put: (key) => {
        if (key.length === 0) throw new Error(`failure ${put.length}`)
        put.push(key)
      },
      remove: (key) => {
        if (key.length === 0) throw new Error("a removal")
        put.push(key)
      }
    })
    batch.put(Uint8Array.of(1), new Uint8Array(0))
    batch.demandWhole()
    assert.throws(() => batch.put(new Uint8Array(0), new Uint8Array(0)), "failure 1")
    batch.remove(Uint8Array.of(2))
    assert.throws(() => batch.remove(new Uint8Array(0)), "a removal")
    assert.throws(() => batch.demandWhole(), "failure 1")
    assert.strictEqual(put.length, 2)
  })
})
