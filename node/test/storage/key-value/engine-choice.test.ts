import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { engineError, storeError } from "../../../src/storage/key-value/engine-error.ts"
import { EngineLacking } from "../../../src/storage/key-value/engine-lacking.ts"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import { makeMemoryStore } from "../../../src/storage/key-value/memory-store.ts"
import { openKeyValueStore, type StoreOptions } from "../../../src/storage/key-value/open-key-value-store.ts"
import type { DiskEngine, DiskEngineName } from "../../../src/storage/key-value/opening/disk-engine.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

type Trouble = "sound" | "fault" | "probe" | "lacking" | "locked" | "full"

/** Engines whose store is a file, and which note what is asked of them. */
const engines = (troubles: Partial<Record<DiskEngineName, Trouble>> = {}) => {
  const calls: Array<string> = []
  const stores = new Map<string, KeyValueStore>()
  const engineOf = (name: DiskEngineName, title: string): DiskEngine => {
    const trouble = troubles[name] ?? "sound"
    const file = (directory: string): string => join(directory, "data")
    const lacking = engineError("open", "/x", new EngineLacking(`no library of ${title}`))
    const failing = (reason: StorageError["reason"], detail: string) =>
      Effect.fail(storeError(reason, "open", "/x", detail))
    return {
      name,
      title,
      hasData: (directory) => fs.existsSync(file(directory)),
      path: file,
      fault: (directory) =>
        trouble === "fault" && !fs.readFileSync(file(directory), "utf8").startsWith("new") ? "odd" : undefined,
      probe: (_, timeout) =>
        Effect.suspend(() => {
          calls.push(`probe ${name} ${Duration.toSeconds(timeout)}`)
          if (trouble === "lacking") return Effect.fail(lacking)
          if (trouble === "locked") return failing("locked", "it is open elsewhere")
          return trouble === "probe" ? failing("corrupt", "it is damaged") : Effect.void
        }),
      open: (directory) =>
        Effect.suspend(() => {
          calls.push(`open ${name}`)
          if (trouble === "lacking") return Effect.fail(lacking)
          if (trouble === "full") return failing("full", "no space is left")
          if (!fs.existsSync(directory)) {
            fs.mkdirSync(directory)
            fs.writeFileSync(file(directory), `new ${stores.size}`)
          }
          // A store keeps its content when its directory gets another name.
          const content = fs.readFileSync(file(directory), "utf8")
          const store = stores.get(content) ?? makeMemoryStore()
          stores.set(content, store)
          return Effect.succeed({ ...store, engine: name, close: Effect.sync(() => void calls.push(`close ${name}`)) })
        })
    }
  }
  return { calls, all: [engineOf("leveldb", "LevelDB"), engineOf("heed3", "LMDB")] }
}

const storeIn = (directory: string, ...names: ReadonlyArray<DiskEngineName>): void => {
  for (const name of names) {
    fs.mkdirSync(join(directory, `store-${name}`))
    fs.writeFileSync(join(directory, `store-${name}`, "data"), name)
  }
}

const place = (troubles: Partial<Record<DiskEngineName, Trouble>>, ...present: ReadonlyArray<DiskEngineName>) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    storeIn(directory, ...present)
    const { all, calls } = engines(troubles)
    const open = (options: Partial<StoreOptions> = {}) =>
      openKeyValueStore({ directory, backend: "auto", engines: all, ...options })
    return {
      directory,
      calls,
      open,
      names: () => fs.readdirSync(directory).map((name) => name.replace(/-\d{4}.*/, ""))
    }
  })

describe("the engine of a store", () => {
  it.effect("is probed for a minute where there is data, and opened without where there is none", () =>
    Effect.gen(function*() {
      const one = yield* place({})
      assert.strictEqual((yield* one.open()).store.engine, "leveldb")
      assert.deepStrictEqual(one.calls, ["open leveldb"])
      const other = yield* place({}, "heed3")
      assert.strictEqual((yield* other.open()).store.engine, "heed3")
      assert.deepStrictEqual(other.calls, ["probe heed3 60", "open heed3"])
      yield* other.open({ probeTimeout: Duration.seconds(7) })
      assert.strictEqual(other.calls[2], "probe heed3 7")
    }))

  for (const [used, idle] of [["heed3", "leveldb"], ["leveldb", "heed3"]] as const) {
    it.effect(`is the one whose store was written last (${used}), and the one that is not used is named`, () =>
      Effect.gen(function*() {
        const { directory, open } = yield* place({}, "heed3", "leveldb")
        fs.utimesSync(join(directory, `store-${idle}`, "data"), 1_000, 1_000)
        const first = yield* open()
        assert.strictEqual(first.store.engine, used)
        assert.deepStrictEqual(first.warnings, [
          `The store in ${join(directory, `store-${idle}`)} is not used. Remove it when you do not need it.`
        ])
        const asked = yield* open({ backend: idle })
        assert.strictEqual(asked.store.engine, idle)
        assert.include(asked.warnings[0], `store-${used} is not used`)
      }))
  }

  for (const trouble of ["fault", "probe"] as const) {
    it.effect(`gives way to the other one where its store is damaged (${trouble}), and an older store of that is put aside`, () =>
      Effect.gen(function*() {
        const { names, open } = yield* place({ heed3: trouble }, "heed3", "leveldb")
        const opened = yield* open({ backend: "heed3" })
        assert.strictEqual(opened.store.engine, "leveldb")
        assert.sameMembers(names(), ["store-heed3.damaged", "store-leveldb.unused", "store-leveldb"])
        assert.match(opened.setAside ?? "", /store-heed3\.damaged-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/)
        assert.deepInclude(opened.fallback, { from: "heed3", to: "leveldb" })
        assert.match(
          opened.warnings.join("\n"),
          /LMDB \(heed3\) cannot be used, so LevelDB \(leveldb\) is: Cannot open/
        )
      }))
  }

  it.effect("stays where another process has its store, whatever other engine there is", () =>
    Effect.gen(function*() {
      const { calls, names, open } = yield* place({ heed3: "locked" }, "heed3")
      assert.strictEqual((yield* Effect.flip(open())).reason, "locked")
      assert.deepStrictEqual(names(), ["store-heed3"])
      assert.deepStrictEqual(calls, ["probe heed3 60"])
    }))

  it.effect("is made anew where its store is damaged and the other one is lacking", () =>
    Effect.gen(function*() {
      const { names, open } = yield* place({ heed3: "fault", leveldb: "lacking" }, "heed3")
      const opened = yield* open()
      assert.strictEqual(opened.store.engine, "heed3")
      assert.isUndefined(opened.fallback)
      assert.sameMembers(names(), ["store-heed3.damaged", "store-heed3"])
      assert.include(opened.warnings.join("\n"), "no library of LevelDB")
      assert.isDefined(opened.setAside)
    }))

  it.effect("is an error where all are lacking, and where a single one has a damaged store", () =>
    Effect.gen(function*() {
      const none = yield* place({ heed3: "lacking", leveldb: "lacking" })
      assert.include((yield* Effect.flip(none.open())).message, "no library of LevelDB")
      const single = yield* place({ heed3: "fault" }, "heed3")
      const { all } = engines({ heed3: "fault" })
      const alone = all.filter(({ name }) => name === "heed3")
      assert.strictEqual((yield* Effect.flip(single.open({ engines: alone }))).reason, "corrupt")
      assert.deepStrictEqual(single.names(), ["store-heed3.damaged"])
    }))

  it.effect("stays that of the store where the one that is configured cannot be loaded", () =>
    Effect.gen(function*() {
      const { names, open } = yield* place({ leveldb: "lacking" }, "heed3")
      const opened = yield* open({ backend: "leveldb" })
      assert.strictEqual(opened.store.engine, "heed3")
      assert.deepInclude(opened.fallback, { from: "leveldb", to: "heed3" })
      assert.isUndefined(opened.setAside)
      assert.deepStrictEqual(names(), ["store-heed3"])
    }))

  it.effect("is the configured one where the store of the other is damaged only if nothing else helps", () =>
    Effect.gen(function*() {
      const { names, open } = yield* place({ heed3: "fault" }, "heed3")
      const opened = yield* open({ backend: "leveldb" })
      assert.strictEqual(opened.store.engine, "leveldb")
      assert.sameMembers(names(), ["store-heed3.damaged", "store-leveldb"])
    }))
})

describe("a store that another engine is configured for", () => {
  const KEY = Uint8Array.of(1)
  const filled = (troubles: Partial<Record<DiskEngineName, Trouble>> = {}) =>
    Effect.gen(function*() {
      const there = yield* place(troubles, "heed3")
      const { close, store } = yield* there.open()
      yield* store.write((batch) => batch.put(KEY, Uint8Array.of(7)))
      yield* close
      there.calls.splice(0)
      // What an earlier copy left when its process died.
      fs.mkdirSync(join(there.directory, "store-leveldb.new"))
      fs.writeFileSync(join(there.directory, "store-leveldb.new", "data"), "half")
      return there
    })

  it.effect("is copied beside it, both are closed, and the copy takes its place before the old one goes", () =>
    Effect.gen(function*() {
      const { calls, directory, names, open } = yield* filled()
      const blocks = join(directory, "blocks")
      fs.mkdirSync(blocks)
      fs.writeFileSync(join(blocks, "blk00000.dat"), "")
      // Of a store that has no data nothing is kept.
      fs.mkdirSync(join(directory, "store-leveldb"))
      fs.writeFileSync(join(directory, "store-leveldb", "LOG"), "")
      const opened = yield* open({ backend: "leveldb" })
      assert.strictEqual(opened.store.engine, "leveldb")
      assert.deepStrictEqual(yield* opened.store.get(KEY), Uint8Array.of(7))
      assert.isFalse(opened.needsRebuild, "it is not empty")
      assert.deepStrictEqual(opened.warnings, [
        "The store was copied from LMDB to LevelDB, as configured: 1 entries."
      ])
      assert.sameMembers(names(), ["blocks", "store-leveldb"])
      assert.deepStrictEqual(calls, [
        "probe heed3 60",
        "open heed3",
        "open leveldb",
        "close heed3",
        "close leveldb",
        "probe leveldb 60",
        "open leveldb"
      ])
    }))

  it.effect("stays where it is when the node stops before the copy is whole", () =>
    Effect.gen(function*() {
      const { names, open } = yield* filled()
      const opened = yield* open({ backend: "leveldb", isClosing: () => true })
      assert.strictEqual(opened.store.engine, "heed3")
      assert.deepStrictEqual(names(), ["store-heed3"])
      assert.deepStrictEqual(opened.warnings, [
        "The store was not copied from LMDB to LevelDB to its end: the next start begins anew."
      ])
      assert.strictEqual((yield* open({ backend: "leveldb", isClosing: () => false })).store.engine, "leveldb")
    }))

  it.effect("stays where it is when the other one cannot be begun, whose error is the node's", () =>
    Effect.gen(function*() {
      const { calls, names, open } = yield* filled({ leveldb: "full" })
      assert.strictEqual((yield* Effect.flip(open({ backend: "leveldb" }))).reason, "full")
      assert.deepStrictEqual(names(), ["store-heed3"])
      assert.strictEqual(calls.at(-1), "close heed3")
    }))
})

describe("a store that is begun anew", () => {
  for (const [backend, made] of [["auto", "leveldb"], ["heed3", "heed3"]] as const) {
    it.effect(`stands beside the old one, in ${made} for ${backend}, until that is dropped, and closing it before restores the old one`, () =>
      Effect.gen(function*() {
        const { directory, names, open } = yield* place({}, "heed3")
        const closed = yield* open({ startAnew: true, backend })
        assert.strictEqual(closed.store.engine, made)
        assert.sameMembers(names(), ["store-heed3.old", `store-${made}`])
        yield* closed.close
        assert.deepStrictEqual(names(), ["store-heed3"])
        assert.strictEqual(fs.readFileSync(join(directory, "store-heed3", "data"), "utf8"), "heed3")
        const kept = yield* open({ startAnew: true, backend })
        assert.deepStrictEqual(yield* kept.dropReplaced, [])
        assert.deepStrictEqual(yield* kept.dropReplaced, [])
        yield* kept.close
        assert.deepStrictEqual(names(), [`store-${made}`])
        assert.strictEqual(fs.readFileSync(join(directory, `store-${made}`, "data"), "utf8").slice(0, 3), "new")
      }))
  }

  it.effect("leaves the old one where it cannot be begun", () =>
    Effect.gen(function*() {
      const { names, open } = yield* place({ heed3: "lacking", leveldb: "lacking" }, "heed3")
      yield* Effect.flip(open({ startAnew: true }))
      assert.deepStrictEqual(names(), ["store-heed3"])
    }))

  it.effect("is restored by the next opening where a process died before it was sound", () =>
    Effect.gen(function*() {
      const { directory, names, open } = yield* place({}, "heed3")
      yield* open({ startAnew: true })
      yield* open()
      assert.deepStrictEqual(names(), ["store-heed3"])
      assert.strictEqual(fs.readFileSync(join(directory, "store-heed3", "data"), "utf8"), "heed3")
    }))
})

describe("an empty store", () => {
  it.effect("has to be rebuilt where block files are, in their own directory as well", () =>
    Effect.gen(function*() {
      const { directory, open } = yield* place({})
      const needs = (blocks?: string) =>
        Effect.map(open(blocks === undefined ? {} : { blocks }), ({ needsRebuild }) => needsRebuild)
      assert.isFalse(yield* needs())
      const [own, other] = [join(directory, "blocks"), join(directory, "elsewhere")]
      fs.mkdirSync(own)
      fs.mkdirSync(other)
      for (const name of ["rev00000.dat", "xor.dat", "ablk00000.dat", "blk00000.dat.new", "blk.dat"]) {
        fs.writeFileSync(join(own, name), "")
      }
      assert.isFalse(yield* needs())
      fs.writeFileSync(join(other, "blk123456.dat"), "")
      assert.isFalse(yield* needs())
      assert.isTrue(yield* needs(other))
      fs.writeFileSync(join(own, "blk00000.dat"), "")
      assert.isTrue(yield* needs())
    }))
})
