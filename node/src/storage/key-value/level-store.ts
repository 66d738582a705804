import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { join } from "node:path"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import { syncDirectory } from "../disk/sync-directory.ts"
import type { StorageError } from "../storage-error.ts"
import { beginStore } from "./begin-store.ts"
import { CHUNK_BYTES, CHUNK_ENTRIES } from "./chunked-range.ts"
import { brokenSeal, engineError, storeError } from "./engine-error.ts"
import { requireKey } from "./key-limits.ts"
import type { KeyRange, KeyValue, KeyValueReader, KeyValueSnapshot, KeyValueStore } from "./key-value-store.ts"
import { type LevelDatabase, levelHasData, openLevelDatabase } from "./level-database.ts"
import { levelTablesFault } from "./opening/level-table-fault.ts"
import { makeSealer, SEAL_SIZE, sealHolds } from "./seal.ts"
import { wholeBatch } from "./whole-batch.ts"

/** Time limit of `examine`; the newest tables are checked first. */
const EXAMINE_MILLISECONDS = 60_000

type Snapshot = ReturnType<LevelDatabase["snapshot"]>

/** Returns the value stored under `key`, after its checksum was checked. */
const unsealed = (directory: string, key: Uint8Array, stored: Uint8Array): Uint8Array => {
  if (!sealHolds(key, stored, stored.length)) throw brokenSeal(directory, key)
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.length - SEAL_SIZE)
}

/** Closes a resource and ignores errors, on which nothing depends. */
const closing = (resource: { readonly close: () => Promise<void> }): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => resource.close()))

const sizeOf = (directory: string): number => {
  let size = 0
  for (const name of fs.readdirSync(directory)) {
    size += fs.statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0
  }
  return size
}

/** LevelDB: a log and sorted tables. */
const storeOf = (directory: string, first: LevelDatabase): KeyValueStore => {
  let db = first
  let isOpen = true
  /** True after a failed write: LevelDB accepts no more writes until it is opened again. */
  let isStuck = false
  const seal = makeSealer()

  const whileOpen = <A>(operation: string, run: () => Promise<A>): Effect.Effect<A, StorageError> =>
    Effect.suspend(() => {
      if (!isOpen) return Effect.fail(storeError("io", operation, directory, "it is closed"))
      return Effect.tryPromise({ try: run, catch: (error) => engineError(operation, directory, error) })
    })

  const rangeOf = (
    range: KeyRange,
    snapshot: () => Snapshot | undefined
  ): KeyValueReader["range"] extends (range: KeyRange) => infer A ? A : never =>
    Stream.unwrap(Effect.gen(function*() {
      const taken = snapshot()
      const iterator = yield* acquireRelease(
        whileOpen("read", async () =>
          db.iterator({
            gte: range.from,
            lt: range.to,
            reverse: range.reverse === true,
            limit: range.limit ?? -1,
            highWaterMarkBytes: CHUNK_BYTES,
            // A long walk must not evict blocks that others need.
            fillCache: false,
            ...(taken === undefined ? {} : { snapshot: taken })
          })),
        (opened) => closing(opened)
      )
      const next = whileOpen("read", async (): Promise<ReadonlyArray<KeyValue>> => {
        const entries = await iterator.nextv(CHUNK_ENTRIES)
        return entries.map(([key, value]) => [key, unsealed(directory, key, value)] as const)
      })
      return Stream.unfold(undefined, () =>
        Effect.map(next, (entries) => entries.length === 0 ? undefined : [entries, undefined] as const))
    }))

  const readerOf = (snapshot: () => Snapshot | undefined): KeyValueReader => {
    const options = (): { readonly snapshot?: Snapshot } => {
      const taken = snapshot()
      return taken === undefined ? {} : { snapshot: taken }
    }
    return {
      get: (key) =>
        whileOpen("read", async () => {
          requireKey(key)
          const stored = db.getSync(key, options())
          return stored === undefined ? undefined : unsealed(directory, key, stored)
        }),
      getMany: (keys) =>
        whileOpen("read", async () => {
          keys.forEach(requireKey)
          const stored = await db.getMany([...keys], options())
          return stored.map((bytes, place) =>
            bytes === undefined ? undefined : unsealed(directory, keys[place]!, bytes)
          )
        }),
      range: (range) => rangeOf(range, snapshot)
    }
  }

  const snapshot = whileOpen("read", async (): Promise<KeyValueSnapshot> => {
    const taken = db.snapshot()
    return { ...readerOf(() => taken), close: closing(taken) }
  })

  /** Opens LevelDB again, which restores the content of its log: the failed batch completely or not at all. */
  const reopen = whileOpen("open", async () => {
    await db.close()
    db = await openLevelDatabase(directory)
    isStuck = false
  })

  const write: KeyValueStore["write"] = (fill) =>
    Effect.suspend(() => {
      if (!isOpen) return Effect.fail(storeError("io", "write", directory, "it is closed"))
      if (isStuck) return Effect.andThen(reopen, write(fill))
      const batch = db.batch()
      try {
        const whole = wholeBatch({
          put: (key, value) => {
            requireKey(key)
            batch.put(key, seal(key, value))
          },
          remove: (key) => {
            requireKey(key)
            batch.del(key)
          }
        })
        fill(whole)
        whole.demandWhole()
      } catch (error) {
        return Effect.andThen(closing(batch), Effect.die(error))
      }
      return Effect.uninterruptible(Effect.tapError(
        whileOpen("write", async () => {
          await batch.write({ sync: true })
          // It may have begun a new log, whose name LevelDB does not make durable.
          syncDirectory(directory)
        }),
        () => Effect.sync(() => isStuck = true)
      ))
    })

  return {
    engine: "leveldb",
    ...readerOf(() => undefined),
    snapshot,
    write,
    // Every batch was synced when it was written.
    flush: whileOpen("flush", async () => {}),
    examine: whileOpen("read", async () => {
      const fault = levelTablesFault(directory, EXAMINE_MILLISECONDS)
      if (fault !== undefined) throw storeError("corrupt", "read", directory, fault)
    }),
    sizeOnDisk: whileOpen("measure", async () => sizeOf(directory)),
    close: Effect.suspend(() => {
      if (!isOpen) return Effect.void
      isOpen = false
      return Effect.tryPromise({ try: () => db.close(), catch: (error) => engineError("close", directory, error) })
    })
  }
}

/** Opens the LevelDB store in `directory`, or makes one. */
export const openLevelStore = (directory: string): Effect.Effect<KeyValueStore, StorageError> =>
  Effect.tryPromise({
    try: async () => {
      if (!levelHasData(directory)) {
        await beginStore(directory, async (place) => (await openLevelDatabase(place)).close())
      }
      return storeOf(directory, await openLevelDatabase(directory))
    },
    catch: (error) => engineError("open", directory, error)
  })
