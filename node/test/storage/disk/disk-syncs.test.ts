import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { makeDirectory } from "../../../src/storage/disk/make-directory.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { syncDirectory } from "../../../src/storage/disk/sync-directory.ts"
import { beginLmdbFile } from "../../../src/storage/key-value/begin-lmdb-file.ts"
import { beginStore } from "../../../src/storage/key-value/begin-store.ts"
import { openLevelStore } from "../../../src/storage/key-value/level-store.ts"
import { openKeyValueStore } from "../../../src/storage/key-value/open-key-value-store.ts"
import { DISK_ENGINES } from "../../../src/storage/key-value/opening/disk-engine.ts"
import { dropStore, replaceStores, settleReplaced } from "../../../src/storage/key-value/opening/replaced-store.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { diskCalls, replacedUntilEnd } from "./disk-calls.ts"

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

/** Stores of both engines, as directories with a file. */
const makeStores = (directory: string): void => {
  for (const { name } of DISK_ENGINES) {
    fs.mkdirSync(join(directory, `store-${name}`))
    fs.writeFileSync(join(directory, `store-${name}`, "data"), name)
  }
}

const BOTH = DISK_ENGINES.map(({ name }) => `store-${name}`)

describe("what is synced on the disk", () => {
  it.effect("is a file when its sync is asked for, and a directory", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { taken } = yield* diskCalls(directory)
      const disk = nodeDisk("block-files")
      const file = yield* disk.open(join(directory, "file"), "create")
      yield* file.write(bytes("content"), 0)
      assert.deepStrictEqual(taken(), [])
      yield* file.sync
      assert.deepStrictEqual(taken(), ["sync file"])
      yield* file.close
      yield* disk.syncDirectory(directory)
      assert.deepStrictEqual(taken(), ["sync ."])
    }))

  it.effect("is a file that replaces another before it has its name, and the directory after that", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { taken } = yield* diskCalls(directory)
      yield* nodeDisk("block-files").replaceFile(join(directory, "file"), bytes("content"))
      assert.deepStrictEqual(taken(), ["sync file.new", "rename file.new file", "sync ."])
    }))

  it.effect("is the parent of each directory that is made, from the top", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { taken } = yield* diskCalls(directory)
      makeDirectory(join(directory, "a", "b"))
      assert.deepStrictEqual(taken(), ["make a", "sync .", "make a/b", "sync a"])
      makeDirectory(join(directory, "a", "b"))
      assert.deepStrictEqual(taken(), [])
    }))

  it.effect("is every file of a new store before its directory has its name, and the parent after that", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { taken } = yield* diskCalls(directory)
      yield* Effect.promise(() =>
        beginStore(join(directory, "store"), async (place) => {
          fs.writeFileSync(join(place, "data"), "1")
          fs.writeFileSync(join(place, "log"), "2")
        })
      )
      const calls = taken()
      assert.deepStrictEqual(calls.slice(0, 2), ["make store.begun", "sync ."])
      assert.deepStrictEqual(calls.slice(2, 4).toSorted(), ["sync store.begun/data", "sync store.begun/log"])
      assert.deepStrictEqual(calls.slice(4), ["sync store.begun", "rename store.begun store", "sync ."])
    }))

  it.effect("is the empty file of LMDB before it has its name, and its directory after that", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { taken } = yield* diskCalls(directory)
      yield* Effect.promise(() =>
        beginLmdbFile(directory, "data.mdb", async (place) => fs.writeFileSync(join(place, "data.mdb"), "empty"))
      )
      assert.deepStrictEqual(taken(), ["sync data.mdb.new", "rename data.mdb.new data.mdb", "sync ."])
    }))

  it.effect("is the directory of LevelDB with each batch, which may have begun a log", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const store = yield* Effect.acquireRelease(
        openLevelStore(join(directory, "store")),
        ({ close }) => Effect.ignore(close)
      )
      const { taken } = yield* diskCalls(directory)
      for (const key of [1, 2]) {
        yield* store.write((batch) => batch.put(Uint8Array.of(key), bytes("value")))
        assert.deepStrictEqual(taken(), ["sync store"])
      }
      yield* store.flush
      assert.deepStrictEqual(taken(), [])
    }))

  it.effect("is a data directory whose stores were moved out of the way, restored or dropped", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      makeStores(directory)
      const { taken } = yield* diskCalls(directory)
      const moved = BOTH.map((store) => `rename ${store} ${store}.old`)
      const restored = BOTH.map((store) => `rename ${store}.old ${store}`)
      const { restore } = yield* replaceStores(directory, DISK_ENGINES)
      assert.deepStrictEqual(taken(), [...moved, "sync ."])
      yield* restore
      assert.deepStrictEqual(taken(), [...restored, "sync ."])
      yield* restore
      assert.deepStrictEqual(taken(), [], "there is nothing to restore")
      yield* replaceStores(directory, DISK_ENGINES)
      taken()
      assert.deepStrictEqual(yield* settleReplaced(directory, DISK_ENGINES), [])
      assert.deepStrictEqual(taken(), [...restored, "sync ."])
      const { drop } = yield* replaceStores(directory, DISK_ENGINES)
      taken()
      assert.deepStrictEqual(yield* drop, [])
      assert.deepStrictEqual(taken(), [
        ...BOTH.map((store) => `rename ${store}.old ${store}.dropped`),
        "sync .",
        ...BOTH.map((store) => `remove ${store}.dropped`)
      ])
      assert.deepStrictEqual(fs.readdirSync(directory), [])
    }))

  it.live("is the data directory when a store was copied to another engine, before the old one is dropped", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const { close, store } = yield* openKeyValueStore({ directory, backend: "heed3" })
        yield* store.write((batch) => batch.put(bytes("m"), bytes("1")))
        yield* close
      }))
      const { taken } = yield* diskCalls(directory)
      const { close } = yield* openKeyValueStore({ directory, backend: "leveldb" })
      yield* close
      const calls = taken()
      const renamed = calls.indexOf("rename store-leveldb.new store-leveldb")
      assert.strictEqual(calls[renamed + 1], "sync .")
      assert.isAbove(calls.indexOf("rename store-heed3 store-heed3.dropped"), renamed + 1)
      assert.include(calls, "remove store-heed3.dropped")
    }))

  it.effect("may be a directory that has nothing to sync or cannot be read, and must not be one that is not there", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      assert.throws(() => syncDirectory(join(directory, "missing")), /ENOENT/)
      assert.doesNotThrow(() => syncDirectory("/proc/self"))
    }))
})

describe("a store that was replaced", () => {
  it.effect("is removed with what an earlier drop left in its way", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      makeStores(directory)
      const [store] = BOTH
      const path = join(directory, store!)
      fs.mkdirSync(`${path}.dropped`)
      fs.writeFileSync(join(`${path}.dropped`, "older"), "")
      assert.deepStrictEqual(yield* dropStore(path), [])
      assert.deepStrictEqual(fs.readdirSync(directory), [BOTH[1]])
      const { drop } = yield* replaceStores(directory, DISK_ENGINES)
      const second = join(directory, `${BOTH[1]}.dropped`)
      fs.mkdirSync(second)
      fs.writeFileSync(join(second, "older"), "")
      assert.deepStrictEqual(yield* drop, [])
      assert.deepStrictEqual(fs.readdirSync(directory), [])
    }))

  it.effect("is restored over what was made in its place, and one that has no old one stays", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      makeStores(directory)
      const [first, second] = BOTH.map((store) => join(directory, store))
      const { restore } = yield* replaceStores(directory, DISK_ENGINES)
      fs.mkdirSync(first!)
      fs.writeFileSync(join(first!, "new"), "")
      fs.rmSync(`${second}.old`, { recursive: true })
      fs.mkdirSync(second!)
      yield* restore
      assert.deepStrictEqual(fs.readdirSync(first!), ["data"])
      // Nothing tells whether what took its place is sound.
      assert.isFalse(fs.existsSync(second!))
    }))

  it.effect("is an error that names the data directory when it cannot be moved, and all are where they were", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      makeStores(directory)
      // A directory that is not empty cannot be renamed over.
      fs.mkdirSync(join(directory, `${BOTH[1]}.old`))
      fs.writeFileSync(join(directory, `${BOTH[1]}.old`, "kept"), "")
      const error = yield* Effect.flip(replaceStores(directory, DISK_ENGINES))
      assert.deepInclude(error, { part: "key-value", operation: "rename", path: directory })
      assert.isTrue(fs.existsSync(join(directory, BOTH[0]!, "data")))
    }))
})

describe("the disk", () => {
  it.effect("writes and reads the rest where the system did a part", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "file")
      const { readSync, writeSync } = fs
      const most = (size: number): number => Math.min(size, 3)
      const write = ((descriptor: number, from: Uint8Array, offset: number, size: number, position: number) => {
        assert.isAtMost(offset + size, from.length, "a write beyond the bytes")
        return writeSync(descriptor, from, offset, most(size), position)
      }) as typeof fs.writeSync
      const read = ((descriptor: number, into: Uint8Array, offset: number, size: number, position: number) =>
        readSync(descriptor, into, offset, most(size), position)) as typeof fs.readSync
      yield* replacedUntilEnd({ writeSync: write, readSync: read })
      const file = yield* nodeDisk("block-files").open(path, "create")
      yield* file.write(bytes("0123456789"), 2)
      assert.strictEqual(fs.readFileSync(path, "latin1"), "\0\x000123456789")
      assert.deepStrictEqual(yield* file.read(3, 8), bytes("12345678"))
      yield* file.close
      yield* nodeDisk("block-files").replaceFile(path, bytes("9876543210"))
      assert.strictEqual(fs.readFileSync(path, "utf8"), "9876543210")
    }))

  it.effect("closes a file once, and one that replaces another as well", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "file")
      const { closeSync } = fs
      const closed: Array<number> = []
      yield* replacedUntilEnd({
        closeSync: (descriptor) => {
          closed.push(descriptor)
          closeSync(descriptor)
        }
      })
      const disk = nodeDisk("block-files")
      const file = yield* disk.open(path, "create")
      yield* file.close
      yield* file.close
      assert.strictEqual(closed.length, 1)
      yield* disk.replaceFile(path, bytes("x"))
      assert.strictEqual(closed.length, 3, "the new file and the directory")
    }))

  it.effect("measures its space in blocks of the file system", () =>
    Effect.gen(function*() {
      const stats = { bavail: 10, bfree: 20, blocks: 30, bsize: 512, files: 1, ffree: 1, type: 1 }
      yield* replacedUntilEnd({ statfsSync: (() => stats) as unknown as typeof fs.statfsSync })
      assert.deepStrictEqual(yield* nodeDisk("block-files").space("/"), { free: 5_120, total: 15_360 })
    }))

  it.effect("takes a directory that another process makes meanwhile, and no file", () =>
    Effect.gen(function*() {
      const directory = join(yield* temporaryDirectory, "made")
      const { mkdirSync } = fs
      const meanwhile = (make: () => void) =>
        Effect.scoped(Effect.gen(function*() {
          yield* replacedUntilEnd({
            mkdirSync: ((path: string) => {
              make()
              return mkdirSync(path)
            }) as typeof fs.mkdirSync
          })
          return makeDirectory(directory)
        }))
      yield* meanwhile(() => mkdirSync(directory))
      fs.rmdirSync(directory)
      const fault = yield* Effect.exit(meanwhile(() => fs.writeFileSync(directory, "")))
      assert.include(String(fault), "EEXIST")
    }))
})
