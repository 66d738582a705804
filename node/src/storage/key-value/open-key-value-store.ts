import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { join } from "node:path"
import { ensuring, onExit } from "../../finalizers/finalizers.ts"
import { diskError } from "../disk/disk-error.ts"
import { isThere } from "../disk/regular-file.ts"
import { syncDirectory } from "../disk/sync-directory.ts"
import type { StorageError } from "../storage-error.ts"
import { isLacking, isUnmappable, storeError } from "./engine-error.ts"
import type { EngineName, KeyValueStore } from "./key-value-store.ts"
import { makeMemoryStore } from "./memory-store.ts"
import { copyStore, EVERYTHING } from "./opening/copy-store.ts"
import { DISK_ENGINES, type DiskEngine, storeDirectory } from "./opening/disk-engine.ts"
import type { StoreKeys } from "./opening/walk-store.ts"
import { dropStore, replaceStores, type ReplacedStores, settleReplaced } from "./opening/replaced-store.ts"

export interface StoreOptions {
  /** The directory of the store. */
  readonly directory: string
  /** The directory of block files; by default `blocks` beside the store. */
  readonly blocks?: string
  readonly backend: "auto" | "heed3" | "leveldb" | "memory"
  /** Makes a new store beside the existing one, which stays until {@link OpenedStore.dropReplaced}. */
  readonly startAnew?: boolean
  /** The kind of keys in it; those of the node by default. */
  readonly keys?: StoreKeys
  readonly probeTimeout?: Duration.Duration
  readonly engines?: ReadonlyArray<DiskEngine>
  /** Reports whether the node stops before it has started. Long work is then left to the next start. */
  readonly isClosing?: () => boolean
}

/** The use of another engine than the configured one. */
export interface StoreFallback {
  readonly from: EngineName
  readonly to: EngineName
  readonly reason: string
}

export interface OpenedStore {
  readonly store: KeyValueStore
  /** Warnings for the operator, one or two sentences each. */
  readonly warnings: ReadonlyArray<string>
  readonly fallback: StoreFallback | undefined
  /** Path to which an unusable store was moved. Nothing of it is lost. */
  readonly setAside: string | undefined
  /** True if the store is empty and block files exist: the chain state has to be rebuilt from them. */
  readonly needsRebuild: boolean
  /** Removes the replaced store once the new one is complete. Closing before that restores the old one. */
  readonly dropReplaced: Effect.Effect<ReadonlyArray<string>, StorageError>
  /** Closes the store. It never fails, because all writes are on disk. */
  readonly close: Effect.Effect<void>
}

const PROBE_TIMEOUT = Duration.seconds(60)

interface Opening {
  readonly options: StoreOptions
  readonly engines: ReadonlyArray<DiskEngine>
  readonly warnings: Array<string>
  setAside: string | undefined
  fallback: StoreFallback | undefined
  /** The stores that a new one replaces, until it is complete. */
  replaced: ReplacedStores | undefined
}

const onDisk = <A>(operation: string, path: string, run: () => A): Effect.Effect<A, StorageError> =>
  Effect.try({ try: run, catch: (cause) => diskError("key-value", operation, path, cause) })

/** Time of the last write to a file of the directory, in milliseconds. */
const lastWrite = (directory: string): number =>
  Math.max(...fs.readdirSync(directory).map((name) => fs.statSync(join(directory, name)).mtimeMs))

const hasBlockFiles = (
  { directory, blocks = join(directory, "blocks") }: StoreOptions
): Effect.Effect<boolean, StorageError> => {
  return onDisk(
    "read",
    blocks,
    () => isThere(blocks) && fs.readdirSync(blocks).some((name) => /^blk\d+\.dat$/.test(name))
  )
}

const isEmpty = (store: KeyValueStore): Effect.Effect<boolean, StorageError> =>
  Effect.map(Stream.runHead(store.range({ ...EVERYTHING, limit: 1 })), Option.isNone)

const directoryOf = ({ options }: Opening, engine: DiskEngine): string => storeDirectory(options.directory, engine.name)

const hasData = (opening: Opening, engine: DiskEngine): boolean => engine.hasData(directoryOf(opening, engine))

/** Opens an existing store or makes one, after a check of its files and a probe in a separate process. */
const openEngine = Effect.fnUntraced(function*(opening: Opening, engine: DiskEngine) {
  const directory = directoryOf(opening, engine)
  if (yield* onDisk("read", directory, () => engine.hasData(directory))) {
    const fault = yield* onDisk("read", directory, () => engine.fault(directory))
    if (fault !== undefined) return yield* storeError("corrupt", "open", engine.path(directory), fault)
    const { keys, probeTimeout = PROBE_TIMEOUT } = opening.options
    yield* engine.probe(directory, probeTimeout, keys)
  }
  return yield* engine.open(directory)
})

/** Reports whether the engine cannot run on this machine or in this directory, whatever its store contains. */
const cannotRun = (error: StorageError): boolean => isLacking(error) || isUnmappable(error)

/** Reports whether another engine may help: not for a full disk, missing permissions or a second node. */
const isEnginesFault = (error: StorageError): boolean => error.reason === "corrupt" || cannotRun(error)

/** Moves a whole store aside. */
const putAside = Effect.fnUntraced(function*(opening: Opening, engine: DiskEngine, state: "damaged" | "unused") {
  const directory = directoryOf(opening, engine)
  const now = new Date(yield* Clock.currentTimeMillis)
  const aside = `${directory}.${state}-${now.toISOString().replaceAll(/[:.]/g, "-")}`
  yield* onDisk("rename", directory, () => fs.renameSync(directory, aside))
  opening.warnings.push(
    `The ${state} store ${directory} was moved to ${aside}. Remove it when you do not need it any more.`
  )
  if (state === "damaged") opening.setAside = aside
})

const otherThan = ({ engines }: Opening, engine: DiskEngine): DiskEngine | undefined =>
  engines.find(({ name }) => name !== engine.name)

const fallTo = (opening: Opening, from: DiskEngine, to: DiskEngine, reason: string): void => {
  opening.fallback = { from: from.name, to: to.name, reason }
  opening.warnings.push(`${from.title} (${from.name}) cannot be used, so ${to.title} (${to.name}) is: ${reason}`)
}

/** Opens `engine`. If the engine itself is the cause of a failure, continues with another one and an empty store. */
const openOrFallBack = (opening: Opening, engine: DiskEngine): Effect.Effect<KeyValueStore, StorageError> =>
  Effect.catchIf(openEngine(opening, engine), isEnginesFault, (error) =>
    Effect.gen(function*() {
      const other = otherThan(opening, engine)
      // The existing store is intact, and needs another machine or file system.
      if (hasData(opening, engine) && isUnmappable(error)) return yield* error
      if (hasData(opening, engine)) yield* putAside(opening, engine, "damaged")
      if (other === undefined) return yield* error
      // The other engine's store is older than the unreadable one, and must not be mistaken for it.
      if (hasData(opening, other)) yield* putAside(opening, other, "unused")
      fallTo(opening, engine, other, error.message)
      return yield* Effect.catchIf(openEngine(opening, other), cannotRun, (lacking) => {
        if (cannotRun(error)) return Effect.fail(error)
        opening.fallback = undefined
        opening.warnings.push(lacking.message)
        return openEngine(opening, engine)
      })
    }))

/** Copies everything to the configured engine. The old store is removed when the new one is complete. */
const convert = Effect.fnUntraced(function*(opening: Opening, from: DiskEngine, to: DiskEngine) {
  const [source, target] = [directoryOf(opening, from), directoryOf(opening, to)]
  const workplace = `${target}.new`
  yield* onDisk("remove", workplace, () => fs.rmSync(workplace, { recursive: true, force: true }))
  const old = yield* openEngine(opening, from)
  const fresh = yield* Effect.result(to.open(workplace))
  if (fresh._tag === "Failure") {
    if (!cannotRun(fresh.failure)) return yield* Effect.andThen(old.close, fresh.failure)
    fallTo(opening, to, from, fresh.failure.message)
    return old
  }
  const isWanted = (): boolean => opening.options.isClosing?.() !== true
  const count = yield* copyStore(old, fresh.success, isWanted).pipe(
    // Nothing is lost: the old one was only read, and each write of the copy is on disk once it is done.
    ensuring(Effect.all([Effect.ignore(old.close), Effect.ignore(fresh.success.close)]))
  )
  if (!isWanted()) {
    yield* onDisk("remove", workplace, () => fs.rmSync(workplace, { recursive: true }))
    opening.warnings.push(
      `The store was not copied from ${from.title} to ${to.title} to its end: the next start begins anew.`
    )
    return yield* openEngine(opening, from)
  }
  yield* onDisk("rename", workplace, () => {
    fs.rmSync(target, { recursive: true, force: true })
    fs.renameSync(workplace, target)
    syncDirectory(opening.options.directory)
  })
  const copy = yield* openEngine(opening, to)
  opening.warnings.push(`The store was copied from ${from.title} to ${to.title}, as configured: ${count} entries.`)
  opening.warnings.push(...yield* dropStore(source))
  return copy
})

/** Opens a new store in place of all existing ones. If that fails, they are restored. */
const openAnew = Effect.fnUntraced(function*(opening: Opening, wanted: DiskEngine) {
  const replaced = yield* replaceStores(opening.options.directory, opening.engines)
  opening.replaced = replaced
  return yield* onExit(
    openOrFallBack(opening, wanted),
    // Stores that cannot be restored now are restored by the next start.
    (exit) => Exit.isSuccess(exit) ? Effect.void : Effect.ignore(replaced.restore)
  )
})

/** Returns the engine whose store was written last: of two stores, that one has the chain of the last run. */
const lastUsed = (
  opening: Opening,
  present: ReadonlyArray<DiskEngine>
): Effect.Effect<DiskEngine | undefined, StorageError> => {
  if (present.length < 2) return Effect.succeed(present[0])
  const writtenAt = (engine: DiskEngine) =>
    onDisk("read", directoryOf(opening, engine), () => lastWrite(directoryOf(opening, engine)))
  return Effect.map(
    Effect.forEach(present, (engine) => Effect.map(writtenAt(engine), (at) => ({ engine, at }))),
    (all) => all.reduce((last, each) => each.at > last.at ? each : last).engine
  )
}

const openOnDisk = Effect.fnUntraced(function*(opening: Opening, backend: "auto" | "heed3" | "leveldb") {
  const { engines, options } = opening
  opening.warnings.push(...yield* settleReplaced(options.directory, engines))
  const present = yield* Effect.filter(
    engines,
    (engine) => onDisk("read", directoryOf(opening, engine), () => hasData(opening, engine))
  )
  const asked = engines.find(({ name }) => name === backend)
  if (options.startAnew === true) return yield* openAnew(opening, asked ?? engines[0]!)
  const wanted = asked ?? (yield* lastUsed(opening, present)) ?? engines[0]!
  const other = present.find(({ name }) => name !== wanted.name)
  if (other === undefined || present.includes(wanted)) {
    if (other !== undefined) {
      opening.warnings.push(
        `The store in ${directoryOf(opening, other)} is not used. Remove it when you do not need it.`
      )
    }
    return yield* openOrFallBack(opening, wanted)
  }
  return yield* Effect.catchIf(convert(opening, other, wanted), isEnginesFault, () => openOrFallBack(opening, other))
})

/**
 * Opens the key-value store of a data directory. `auto` uses the engine of the existing store, else LevelDB, also for a
 * new store. An engine that this installation lacks, or whose store is damaged, is replaced by another one; `warnings`
 * and `fallback` report it. A damaged store is moved aside, never overwritten, and `needsRebuild` requests that the new
 * one is filled from the block files. A full disk, missing permissions and a second node are errors, because another
 * engine would not help.
 */
export const openKeyValueStore = Effect.fn("openKeyValueStore")(function*(options: StoreOptions) {
  if (options.backend === "memory") {
    const store = makeMemoryStore()
    const opened: OpenedStore = {
      store,
      warnings: [],
      fallback: undefined,
      setAside: undefined,
      needsRebuild: false,
      dropReplaced: Effect.succeed([]),
      close: Effect.ignore(store.close)
    }
    return opened
  }
  const opening: Opening = {
    options,
    engines: options.engines ?? DISK_ENGINES,
    warnings: [],
    setAside: undefined,
    fallback: undefined,
    replaced: undefined
  }
  const store = yield* openOnDisk(opening, options.backend)
  const { fallback, setAside, warnings } = opening
  let { replaced } = opening
  const close = Effect.suspend(() =>
    Effect.andThen(Effect.ignore(store.close), replaced === undefined ? Effect.void : Effect.ignore(replaced.restore))
  )
  const looked = Effect.map(
    Effect.all([isEmpty(store), hasBlockFiles(options)]),
    ([empty, blocks]) => empty && blocks
  )
  const needsRebuild = yield* onExit(looked, (exit) => Exit.isSuccess(exit) ? Effect.void : close)
  const dropReplaced = Effect.suspend(() =>
    replaced === undefined
      ? Effect.succeed([])
      : Effect.tap(replaced.drop, () => Effect.sync(() => void (replaced = undefined)))
  )
  const opened: OpenedStore = { store, warnings, fallback, setAside, needsRebuild, dropReplaced, close }
  return opened
})
