import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { join } from "node:path"
import { engineError } from "../../../src/storage/key-value/engine-error.ts"
import { EngineLacking } from "../../../src/storage/key-value/engine-lacking.ts"
import {
  type OpenedStore,
  openKeyValueStore,
  type StoreOptions
} from "../../../src/storage/key-value/open-key-value-store.ts"
import {
  DISK_ENGINES,
  type DiskEngine,
  type DiskEngineName
} from "../../../src/storage/key-value/opening/disk-engine.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { bytes, textOf } from "./behaviour.ts"

const open = (options: StoreOptions): Effect.Effect<OpenedStore, StorageError, Scope.Scope> =>
  Effect.acquireRelease(openKeyValueStore(options), ({ store }) => Effect.orDie(store.close))

/** Puts `entries` entries into a store and lets go of it. */
const fill = (directory: string, backend: DiskEngineName, entries: number): Effect.Effect<void, StorageError> =>
  Effect.scoped(Effect.gen(function*() {
    const { store } = yield* open({ directory, backend })
    yield* store.write((batch) => {
      for (let n = 0; n < entries; n++) {
        batch.put(bytes(`m${String(n).padStart(6, "0")}`), bytes(`value ${n} `.repeat(5)))
      }
    })
  }))

const blockFileIn = (directory: string): Effect.Effect<void> =>
  Effect.sync(() => {
    fs.mkdirSync(join(directory, "blocks"), { recursive: true })
    fs.writeFileSync(join(directory, "blocks", "blk00000.dat"), "blocks")
  })

const pathOf = (directory: string, backend: DiskEngineName, file: string): string =>
  join(directory, `store-${backend}`, file)

const firstOf = (directory: string, backend: DiskEngineName, pattern: RegExp): string =>
  pathOf(directory, backend, fs.readdirSync(join(directory, `store-${backend}`)).find((name) => pattern.test(name))!)

const flip = (path: string, at: number): void => {
  const content = fs.readFileSync(path)
  content[at]! ^= 0x10
  fs.writeFileSync(path, content)
}

/** Engines of which some have no library here. */
const without = (...lacking: ReadonlyArray<DiskEngineName>): ReadonlyArray<DiskEngine> =>
  DISK_ENGINES.map((engine) => {
    if (!lacking.includes(engine.name)) return engine
    const error = (directory: string): StorageError =>
      engineError("open", engine.path(directory), new EngineLacking(`the library of ${engine.title} cannot be loaded`))
    return {
      ...engine,
      open: (directory) => Effect.fail(error(directory)),
      probe: (directory) => Effect.fail(error(directory))
    }
  })

describe("choosing an engine", () => {
  it.effect("auto takes LevelDB in a new directory, and later what is there", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const first = yield* Effect.scoped(open({ directory, backend: "auto" }))
      assert.deepInclude(first, { warnings: [], fallback: undefined, setAside: undefined, needsRebuild: false })
      assert.strictEqual(first.store.engine, "leveldb")
      const other = yield* temporaryDirectory
      yield* fill(other, "heed3", 3)
      const { store, warnings } = yield* open({ directory: other, backend: "auto" })
      assert.strictEqual(store.engine, "heed3")
      assert.deepStrictEqual(warnings, [])
      assert.include(textOf(yield* store.get(bytes("m000002"))), "value 2")
    }))

  it.effect("an empty store beside block files has to be rebuilt, a filled one does not", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* blockFileIn(directory)
      assert.isTrue((yield* Effect.scoped(open({ directory, backend: "auto" }))).needsRebuild)
      yield* fill(directory, "leveldb", 1)
      assert.isFalse((yield* Effect.scoped(open({ directory, backend: "auto" }))).needsRebuild)
      const anew = yield* open({ directory, backend: "auto", startAnew: true })
      assert.isTrue(anew.needsRebuild)
      assert.isUndefined(yield* anew.store.get(bytes("m000000")))
    }))

  for (
    const [backend, lacking, used, title] of [
      ["auto", "leveldb", "heed3", "LevelDB"],
      ["leveldb", "leveldb", "heed3", "LevelDB"],
      ["heed3", "heed3", "leveldb", "LMDB"]
    ] as const
  ) {
    it.effect(`${used} stands in for ${lacking} where this build lacks that (${backend}), with a warning`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const opened = yield* open({ directory, backend, engines: without(lacking) })
        assert.strictEqual(opened.store.engine, used)
        assert.deepInclude(opened.fallback, { from: lacking, to: used })
        assert.include(opened.warnings[0], `${title} (${lacking}) cannot be used`)
        assert.isFalse(opened.needsRebuild)
      }))
  }

  it.effect("no engine at all is an error that says what to do", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const error = yield* Effect.flip(open({ directory, backend: "auto", engines: without("heed3", "leveldb") }))
      assert.include(error.message, "Install the node anew")
    }))

  it.effect("a store whose engine is lacking is put aside, not overlooked", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* fill(directory, "heed3", 10)
      yield* blockFileIn(directory)
      const opened = yield* open({ directory, backend: "auto", engines: without("heed3") })
      assert.strictEqual(opened.store.engine, "leveldb")
      assert.isTrue(opened.needsRebuild)
      assert.isTrue(fs.existsSync(join(opened.setAside!, "data.mdb")))
    }))

  for (const [from, to] of [["heed3", "leveldb"], ["leveldb", "heed3"]] as const) {
    it.effect(`a store of ${from} is copied over when ${to} is configured`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        yield* fill(directory, from, 70_000)
        const { fallback, needsRebuild, store, warnings } = yield* open({ directory, backend: to })
        assert.strictEqual(store.engine, to)
        assert.isUndefined(fallback)
        assert.isFalse(needsRebuild)
        assert.include(warnings.join(), "70000 entries")
        const asked = [0, 35_000, 69_999]
        const values = yield* store.getMany(asked.map((n) => bytes(`m${String(n).padStart(6, "0")}`)))
        assert.deepStrictEqual(
          values.map((value) => textOf(value)?.slice(0, 12)),
          asked.map((n) => `value ${n} value`.slice(0, 12))
        )
        assert.deepStrictEqual(fs.readdirSync(directory), [`store-${to}`])
      }))

    it.effect(`a copy of a store of ${from} is left for the next start when the node stops meanwhile`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        yield* fill(directory, from, 70_000)
        let looks = 0
        const { fallback, needsRebuild, store, warnings } = yield* open({
          directory,
          backend: to,
          isClosing: () => ++looks > 1
        })
        assert.strictEqual(store.engine, from)
        assert.isUndefined(fallback)
        assert.isFalse(needsRebuild)
        assert.include(warnings.join(), "the next start begins anew")
        assert.isDefined(yield* store.get(bytes("m069999")))
        assert.deepStrictEqual(fs.readdirSync(directory), [`store-${from}`])
        // One batch was copied, then nothing more was read.
        assert.strictEqual(looks, 3)
      }))
  }

  it.effect("a store stays where it is when the configured engine is lacking", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* fill(directory, "leveldb", 10)
      const opened = yield* open({ directory, backend: "heed3", engines: without("heed3") })
      assert.strictEqual(opened.store.engine, "leveldb")
      assert.deepInclude(opened.fallback, { from: "heed3", to: "leveldb" })
      assert.isDefined(yield* opened.store.get(bytes("m000009")))
    }))

  it.effect("memory needs no directory", () =>
    Effect.gen(function*() {
      const { store, ...opened } = yield* open({ directory: "/nowhere", backend: "memory" })
      assert.strictEqual(store.engine, "memory")
      assert.deepInclude(opened, { warnings: [], fallback: undefined, setAside: undefined, needsRebuild: false })
      assert.deepStrictEqual(yield* opened.dropReplaced, [])
    }))
})

interface Damage {
  readonly name: string
  readonly backend: DiskEngineName
  readonly damage: (directory: string) => void
  /** A file or a word that the warning has to name. */
  readonly names: RegExp
}

const halve = (path: string): void => fs.truncateSync(path, Math.floor(fs.statSync(path).size / 2))

/** Puts the entries into a sorted table, since a young store has them only in its log. */
const settle = (directory: string): Effect.Effect<void, StorageError> =>
  Effect.scoped(Effect.asVoid(open({ directory, backend: "leveldb" })))

const DAMAGES: ReadonlyArray<Damage> = [
  {
    name: "a truncated LMDB file",
    backend: "heed3",
    damage: (directory) => halve(pathOf(directory, "heed3", "data.mdb")),
    names: /data\.mdb.*needs/
  },
  {
    name: "an LMDB file cut inside its head",
    backend: "heed3",
    damage: (directory) => fs.truncateSync(pathOf(directory, "heed3", "data.mdb"), 100),
    names: /data\.mdb/
  },
  {
    name: "an LMDB file that is something else",
    backend: "heed3",
    damage: (directory) => fs.writeFileSync(pathOf(directory, "heed3", "data.mdb"), "not a store ".repeat(10_000)),
    names: /data\.mdb/
  },
  {
    name: "an LMDB file with a wild meta page",
    backend: "heed3",
    damage: (directory) =>
      fs.writeFileSync(
        pathOf(directory, "heed3", "data.mdb"),
        fs.readFileSync(pathOf(directory, "heed3", "data.mdb")).fill(0x5a, 4096, 8192)
      ),
    names: /data\.mdb/
  },
  {
    name: "a flipped bit in a value of LMDB",
    backend: "heed3",
    damage: (directory) => {
      const path = pathOf(directory, "heed3", "data.mdb")
      flip(path, fs.readFileSync(path).indexOf("value 77 value") + 3)
    },
    names: /data\.mdb.*checksum/
  },
  {
    name: "pages of LMDB overwritten",
    backend: "heed3",
    damage: (directory) => {
      const path = pathOf(directory, "heed3", "data.mdb")
      const content = fs.readFileSync(path)
      fs.writeFileSync(path, content.fill(0xff, 3 * 4096, 40 * 4096))
    },
    names: /data\.mdb/
  },
  {
    name: "a LevelDB store without CURRENT",
    backend: "leveldb",
    damage: (directory) => fs.rmSync(pathOf(directory, "leveldb", "CURRENT")),
    names: /store-leveldb.*CURRENT/
  },
  {
    name: "a LevelDB store without its manifest",
    backend: "leveldb",
    damage: (directory) => fs.rmSync(firstOf(directory, "leveldb", /MANIFEST/)),
    names: /store-leveldb/
  },
  {
    name: "a truncated table of LevelDB",
    backend: "leveldb",
    damage: (directory) => halve(firstOf(directory, "leveldb", /\.ldb$/)),
    names: /store-leveldb/
  },
  {
    name: "a missing table of LevelDB",
    backend: "leveldb",
    damage: (directory) => fs.rmSync(firstOf(directory, "leveldb", /\.ldb$/)),
    names: /store-leveldb/
  },
  {
    name: "a flipped bit in a table of LevelDB",
    backend: "leveldb",
    damage: (directory) => {
      const path = firstOf(directory, "leveldb", /\.ldb$/)
      flip(path, fs.readFileSync(path).indexOf("value 77 value") + 3)
    },
    names: /store-leveldb.*checksum/
  }
]

describe("a damaged store", () => {
  for (const { backend, damage, name, names } of DAMAGES) {
    it.effect(`${name} is named, put aside and replaced by an empty one of the other engine`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        yield* fill(directory, backend, 5000)
        if (backend === "leveldb") yield* settle(directory)
        yield* blockFileIn(directory)
        damage(directory)
        const opened = yield* open({ directory, backend: "auto" })
        const other = backend === "heed3" ? "leveldb" : "heed3"
        assert.strictEqual(opened.store.engine, other)
        assert.deepInclude(opened.fallback, { from: backend, to: other })
        assert.match(opened.fallback!.reason, names)
        assert.include(opened.fallback!.reason, "lockstep rebuild")
        assert.isTrue(opened.needsRebuild)
        assert.match(opened.warnings.join("\n"), new RegExp(`moved to .*store-${backend}\\.damaged-`))
        assert.isAbove(fs.readdirSync(opened.setAside!).length, 0)
        assert.isUndefined(yield* opened.store.get(bytes("m000001")))
        yield* opened.store.write((batch) => batch.put(bytes("mnew"), bytes("1")))
      }))
  }

  it.effect("a damaged store is made anew in the same engine when there is no other", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* fill(directory, "heed3", 5000)
      halve(pathOf(directory, "heed3", "data.mdb"))
      const opened = yield* open({ directory, backend: "heed3", engines: without("leveldb") })
      assert.strictEqual(opened.store.engine, "heed3")
      assert.isDefined(opened.setAside)
      assert.match(opened.warnings.join("\n"), /LevelDB/)
    }))

  it.effect("a store that another process has open is an error, and stays where it is", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const held = yield* open({ directory, backend: "leveldb" })
      yield* held.store.write((batch) => batch.put(bytes("m"), bytes("1")))
      const error = yield* Effect.flip(open({ directory, backend: "leveldb" }))
      assert.strictEqual(error.reason, "locked")
      assert.deepStrictEqual(fs.readdirSync(directory), ["store-leveldb"])
    }))

  it.effect("a path that is a file is an error that names it, and stays as it is", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(join(directory, "store-heed3"), "mine")
      const error = yield* Effect.flip(open({ directory, backend: "heed3" }))
      assert.include(error.message, join(directory, "store-heed3"))
      assert.strictEqual(fs.readFileSync(join(directory, "store-heed3"), "utf8"), "mine")
    }))
})
