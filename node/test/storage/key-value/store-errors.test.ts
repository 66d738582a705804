import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { join } from "node:path"
import { EngineLacking } from "../../../src/storage/key-value/engine-lacking.ts"
import { brokenSeal, engineError, isLacking, storeError } from "../../../src/storage/key-value/engine-error.ts"
import { MAX_KEY_SIZE, requireKey } from "../../../src/storage/key-value/key-limits.ts"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import { openLevelStore } from "../../../src/storage/key-value/level-store.ts"
import { openLmdbStore } from "../../../src/storage/key-value/lmdb-store.ts"
import { makeMemoryStore } from "../../../src/storage/key-value/memory-store.ts"
import { levelFilesFault } from "../../../src/storage/key-value/opening/level-files-fault.ts"
import { wholeBatch } from "../../../src/storage/key-value/whole-batch.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const withCode = (code: unknown, message = "raw", cause?: unknown): Error =>
  Object.assign(new Error(message, cause === undefined ? {} : { cause }), code === undefined ? {} : { code })

describe("the reason of what a key-value engine throws", () => {
  const reasonOf = (error: unknown): string => engineError("read", "/store", error).reason

  it("is that of its number, of its name, or of its words", () => {
    const reasons: ReadonlyArray<
      readonly [StorageError["reason"], ReadonlyArray<number | string>, ReadonlyArray<string>]
    > = [
      [
        "corrupt",
        [-30_797, -30_796, -30_793, -30_794, "LEVEL_CORRUPTION"],
        [
          "Corruption: x",
          "checksum mismatch",
          "not an sstable",
          "bad block type",
          "a truncated log",
          "bad/duplicate entries",
          "/s/MANIFEST-000002: No such file or directory",
          "/s/000005.ldb: Invalid argument",
          "/s/000005.sst: no such file",
          "/s/CURRENT: no such file"
        ]
      ],
      ["full", [-30_792, 27, 28, 122, "ENOSPC", "EDQUOT"], [
        "No space left on device",
        "Disk quota exceeded",
        "File too large"
      ]],
      ["missing", [2, "ENOENT"], []],
      ["locked", [11, "LEVEL_LOCKED"], ["already held by process", "Resource temporarily unavailable"]],
      ["io", [5, -30_795, "EIO"], ["no such file", "invalid argument", "anything"]]
    ]
    for (const [reason, codes, words] of reasons) {
      for (const code of codes) assert.strictEqual(reasonOf(withCode(code)), reason, String(code))
      for (const each of words) assert.strictEqual(reasonOf(new Error(each)), reason, each)
    }
    assert.strictEqual(reasonOf("a text"), "io")
  })

  it("may be that of a cause, up to the fifth, and a code comes before words", () => {
    const nested = (depth: number): Error =>
      depth === 0 ? withCode(28) : withCode(undefined, `outer ${depth}`, nested(depth - 1))
    assert.strictEqual(reasonOf(nested(4)), "full")
    assert.strictEqual(reasonOf(nested(5)), "io")
    assert.strictEqual(reasonOf(withCode(undefined, "Corruption", withCode(28))), "full")
    assert.strictEqual(reasonOf(withCode(undefined, "outer", new Error("Corruption"))), "corrupt")
  })

  it("comes with the operation, the path, all that was said, and what to do", () => {
    const error = engineError("open", "/store", withCode(undefined, "outer\n", withCode(2, "inner  text.")))
    assert.deepInclude(error, { part: "key-value", operation: "open", path: "/store", reason: "missing" })
    assert.match(error.message, /^Cannot open the key-value store \/store: outer: inner text\. Restore it, or run `/)
    assert.include(engineError("open", "/store", "a text").message, ": a text. Check the disk")
    const twice = engineError("open", "/store", withCode(undefined, "same", new Error("same")))
    assert.include(twice.message, "/store: same. ")
    const remedies = {
      corrupt: /The store is damaged: move it away and run `lockstep rebuild`/,
      full: /Free some space, then start again\./,
      missing: /Restore it, or run `lockstep rebuild` to make it anew/,
      locked: /Stop the other process that has it open\./,
      newer: /It was written by a newer version/,
      io: /Check the disk, its rights and its mount/
    } as const
    for (const [reason, words] of Object.entries(remedies)) {
      assert.match(storeError(reason as keyof typeof remedies, "read", "/s", "x").message, words)
    }
    const typed = storeError("io", "read", "/s", "x")
    assert.strictEqual(engineError("open", "/other", typed), typed)
    const broken = brokenSeal("/s", Uint8Array.of(1, 0xab))
    assert.deepInclude(broken, { reason: "corrupt", operation: "read", path: "/s" })
    assert.include(broken.message, "the value under 01ab does not fit its checksum")
  })

  it("is that it lacks, where its library cannot be loaded", () => {
    const lacking = engineError("open", "/s", new EngineLacking("no library"))
    assert.deepInclude(lacking, { part: "key-value", operation: "load", reason: "missing", path: "/s" })
    assert.match(lacking.message, /^Cannot open the key-value store \/s: no library\. Install the node anew/)
    assert.isTrue(isLacking(lacking))
    assert.isFalse(isLacking(storeError("missing", "open", "/s", "x")))
  })
})

describe("a batch", () => {
  it("refuses what the first entry that failed threw, though its filler went on", () => {
    const [first, second] = [new Error("first"), new Error("second")]
    const failing = [first, second]
    const batch = wholeBatch({
      put: () => {
        throw failing.shift()!
      },
      remove: () => {}
    })
    batch.remove(Uint8Array.of(1))
    batch.demandWhole()
    for (const each of [first, second]) {
      assert.throws(() => batch.put(Uint8Array.of(1), Uint8Array.of(1)), each.message)
    }
    assert.throws(() => batch.demandWhole(), "first")
  })

  it("has keys of 1 to 511 bytes", () => {
    assert.strictEqual(MAX_KEY_SIZE, 511)
    for (const size of [1, 511]) requireKey(new Uint8Array(size))
    for (const size of [0, 512]) assert.throws(() => requireKey(new Uint8Array(size)), `1 to 511 bytes, not ${size}`)
  })
})

const key = Uint8Array.of(1)

describe("a store that is closed", () => {
  const refusals = Effect.fnUntraced(function*(store: KeyValueStore) {
    yield* store.write((batch) => batch.put(key, key))
    const snapshot = yield* store.snapshot
    assert.isAbove(yield* store.sizeOnDisk, 0)
    yield* store.flush
    yield* store.close
    yield* store.close
    const operations = {
      get: store.get(key),
      getMany: store.getMany([key]),
      snapshot: store.snapshot,
      range: Stream.runDrain(store.range({ from: key, to: Uint8Array.of(9) })),
      write: store.write(() => {}),
      flush: store.flush,
      sizeOnDisk: store.sizeOnDisk,
      view: snapshot.get(key)
    }
    const found: Record<string, string> = {}
    for (const [name, run] of Object.entries<Effect.Effect<unknown, StorageError>>(operations)) {
      const error = yield* Effect.flip(run)
      assert.deepInclude(error, { part: "key-value", reason: "io" })
      assert.include(error.message, "it is closed")
      found[name] = error.operation
    }
    yield* snapshot.close
    return found
  })

  const DISK = {
    get: "read",
    getMany: "read",
    snapshot: "read",
    range: "read",
    write: "write",
    flush: "flush",
    sizeOnDisk: "measure",
    view: "read"
  }

  it.effect("says so of every call: LMDB", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* refusals(yield* openLmdbStore(join(yield* temporaryDirectory, "store"))), DISK)
    }))

  it.effect("says so of every call: LevelDB", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* refusals(yield* openLevelStore(join(yield* temporaryDirectory, "store"))), DISK)
    }))

  it.effect("says so of every call: in memory", () =>
    Effect.gen(function*() {
      const found = yield* refusals(makeMemoryStore())
      assert.deepStrictEqual([...new Set(Object.values(found))], ["use"])
    }))

  it.effect("is told from one whose snapshot alone is closed", () =>
    Effect.gen(function*() {
      const store = yield* openLmdbStore(join(yield* temporaryDirectory, "store"))
      const snapshot = yield* store.snapshot
      yield* snapshot.close
      yield* snapshot.close
      const calls = [
        snapshot.get(key),
        snapshot.getMany([key]),
        Stream.runDrain(snapshot.range({ from: key, to: key }))
      ]
      for (const run of calls as ReadonlyArray<Effect.Effect<unknown, StorageError>>) {
        const error = yield* Effect.flip(run)
        assert.deepInclude(error, { part: "key-value", operation: "read", reason: "io" })
        assert.include(error.message, "the snapshot is closed")
      }
      assert.isUndefined(yield* store.get(key))
      yield* store.close
    }))

  it.effect("counts keys and values in memory", () =>
    Effect.gen(function*() {
      const store = makeMemoryStore()
      assert.strictEqual(yield* store.sizeOnDisk, 0)
      yield* store.write((batch) => {
        batch.put(Uint8Array.of(1, 2), new Uint8Array(10))
        batch.put(Uint8Array.of(3), new Uint8Array(5))
      })
      assert.strictEqual(yield* store.sizeOnDisk, 18)
    }))
})

describe("the files of a LevelDB store", () => {
  it.effect("are none where there is no directory or nothing in it, and lack CURRENT beside a table", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      assert.isUndefined(levelFilesFault(join(directory, "none")))
      assert.isUndefined(levelFilesFault(directory))
      fs.writeFileSync(join(directory, "a000005.ldb.new"), "")
      assert.isUndefined(levelFilesFault(directory))
      fs.writeFileSync(join(directory, "000005.ldb"), "")
      assert.strictEqual(levelFilesFault(directory), "the file CURRENT is missing beside 000005.ldb")
      fs.writeFileSync(join(directory, "CURRENT"), "")
      assert.isUndefined(levelFilesFault(directory))
      fs.writeFileSync(join(directory, "000006.log"), Uint8Array.of(0, 0, 0, 0, 1, 0, 1, 5))
      assert.strictEqual(levelFilesFault(directory), "000006.log: the record at 0 does not fit its checksum")
      fs.rmSync(join(directory, "000006.log"))
      fs.mkdirSync(join(directory, "000007.log"))
      assert.throws(() => levelFilesFault(directory), /000007\.log: it is a directory, not a file/)
    }))
})
