import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { diskError } from "../disk/disk-error.ts"
import { StorageError } from "../storage-error.ts"
import { beginStore } from "./begin-store.ts"
import { type RangeChunk, CHUNK_BYTES, CHUNK_ENTRIES, chunkedRange, rangeOfSnapshot } from "./chunked-range.ts"
import { brokenSeal, engineError, storeError } from "./engine-error.ts"
import { growthFault } from "./growth-fault.ts"
import { requireKey } from "./key-limits.ts"
import type {
  BatchWriter,
  KeyRange,
  KeyValue,
  KeyValueReader,
  KeyValueSnapshot,
  KeyValueStore
} from "./key-value-store.ts"
import {
  type LmdbDatabase,
  lmdbFile,
  lmdbHasData,
  openLmdbDatabase,
  type ReadOptions,
  type LmdbReadTransaction
} from "./lmdb-database.ts"
import { nativeStderr } from "./native-stderr.ts"
import { EVERYTHING } from "./opening/copy-store.ts"
import { makeSealer, SEAL_SIZE, sealHolds } from "./seal.ts"
import { wholeBatch } from "./whole-batch.ts"

const EXAMINE_TIME = Duration.minutes(1)

const sliceOf = Uint8Array.prototype.slice

/** Returns the value under `key`, in its own memory. */
const valueOf = (db: LmdbDatabase, file: string, key: Uint8Array, options?: ReadOptions): Uint8Array | undefined => {
  const bytes = db.getBinaryFast(key, options)
  if (bytes === undefined) return undefined
  const size = db.lastSize
  if (!sealHolds(key, bytes, size)) throw brokenSeal(file, key)
  // `bytes` may be a Buffer, whose own slice would not copy.
  return sliceOf.call(bytes, 0, size - SEAL_SIZE) as Uint8Array
}

const chunkOf = (db: LmdbDatabase, file: string, range: KeyRange, transaction: LmdbReadTransaction): RangeChunk => {
  const reverse = range.reverse === true
  const wanted = Math.min(CHUNK_ENTRIES, range.limit ?? CHUNK_ENTRIES)
  const entries: Array<KeyValue> = []
  let bytes = 0
  const found = db.getRange({
    start: reverse ? range.to : range.from,
    end: reverse ? range.from : range.to,
    reverse,
    exclusiveStart: reverse,
    inclusiveEnd: reverse,
    limit: wanted,
    transaction
  })
  for (const { key, value } of found) {
    if (!sealHolds(key, value, value.length)) throw brokenSeal(file, key)
    entries.push([new Uint8Array(key.buffer, key.byteOffset, key.length), value.subarray(0, -SEAL_SIZE)])
    bytes += key.length + value.length
    if (bytes >= CHUNK_BYTES) return { entries, more: true }
  }
  return { entries, more: entries.length === wanted }
}

/**
 * Reports whether a failed commit was harmless. Others may leave half-written pages; only running out of space is known
 * to be safe.
 */
const isHarmless = (error: StorageError): boolean => error.reason === "full"

/** Returns the same failure, or a full disk if that is its cause. */
const reconsidered = (file: string, error: StorageError): StorageError => {
  if (error.reason !== "io") return error
  const fault = growthFault(file)
  const cause = fault === undefined ? undefined : diskError("key-value", error.operation, file, fault)
  return cause?.reason === "full" ? cause : error
}

interface State {
  isOpen: boolean
  /** The first damage found. LMDB ends the transaction because of it, so later failures are consequences. */
  damage: StorageError | undefined
  /** The reason why nothing is written any more. */
  broken: StorageError | undefined
}

const inLightOfDamage = (state: State, error: StorageError): StorageError => {
  if (error.reason === "corrupt") state.damage ??= error
  return error.reason === "io" ? state.damage ?? error : error
}

const writeInto = (
  db: LmdbDatabase,
  file: string,
  fill: (batch: BatchWriter) => void,
  seal: ReturnType<typeof makeSealer>
): void => {
  const guarded = (run: () => void): void => {
    try {
      run()
    } catch (error) {
      throw engineError("write", file, error)
    }
  }
  const put = (key: Uint8Array, value: Uint8Array): void => {
    requireKey(key)
    guarded(() => void db.put(key, seal(key, value)))
  }
  const remove = (key: Uint8Array): void => {
    requireKey(key)
    guarded(() => void db.remove(key))
  }
  const batch = wholeBatch({ put, remove })
  let isFilled = false
  try {
    db.transactionSync(() => {
      fill(batch)
      batch.demandWhole()
      isFilled = true
    })
  } catch (error) {
    nativeStderr().endLine()
    throw isFilled ? engineError("commit to", file, error) : error
  }
}

/** LMDB: one file, read through memory pages, one writer, any number of snapshots. */
const storeOf = (directory: string, db: LmdbDatabase): KeyValueStore => {
  const file = lmdbFile(directory)
  const state: State = { isOpen: true, damage: undefined, broken: undefined }
  const seal = makeSealer()

  const whileOpen = <A>(operation: string, run: () => A): Effect.Effect<A, StorageError> =>
    Effect.suspend(() => {
      if (!state.isOpen) return Effect.fail(storeError("io", operation, file, "it is closed"))
      return Effect.try({ try: run, catch: (error) => inLightOfDamage(state, engineError(operation, file, error)) })
    })

  const readerOf = (options?: ReadOptions): Omit<KeyValueReader, "range"> => ({
    get: (key) => whileOpen("read", () => valueOf(db, file, key, options)),
    getMany: (keys) => whileOpen("read", () => keys.map((key) => valueOf(db, file, key, options)))
  })

  const snapshot = whileOpen("read", (): KeyValueSnapshot => {
    const transaction = db.useReadTransaction()
    let isHeld = true
    const read = <A>(run: () => A): Effect.Effect<A, StorageError> =>
      Effect.suspend(() =>
        isHeld ? whileOpen("read", run) : Effect.fail(storeError("io", "read", file, "the snapshot is closed"))
      )
    return {
      get: (key) => read(() => valueOf(db, file, key, { transaction })),
      getMany: (keys) => read(() => keys.map((key) => valueOf(db, file, key, { transaction }))),
      range: (range) => chunkedRange(range, (left) => read(() => chunkOf(db, file, left, transaction))),
      close: Effect.sync(() => {
        // Closing the store ends every transaction anyway.
        if (isHeld && state.isOpen) transaction.done()
        isHeld = false
      })
    }
  })

  const write: KeyValueStore["write"] = (fill) =>
    Effect.suspend(() => {
      if (!state.isOpen) return Effect.fail(storeError("io", "write", file, "it is closed"))
      if (state.broken !== undefined) return Effect.fail(state.broken)
      try {
        writeInto(db, file, fill, seal)
        return Effect.void
      } catch (error) {
        if (!(error instanceof StorageError)) return Effect.die(error)
        const failure = inLightOfDamage(state, reconsidered(file, error))
        if (!isHarmless(failure)) state.broken = failure
        return Effect.fail(failure)
      }
    })

  return {
    engine: "heed3",
    ...readerOf(),
    range: (range) => rangeOfSnapshot(snapshot, range),
    snapshot,
    write,
    // Every commit was synced when it was written.
    flush: whileOpen("flush", () => {}),
    examine: Effect.asVoid(Effect.timeoutOption(Stream.runDrain(rangeOfSnapshot(snapshot, EVERYTHING)), EXAMINE_TIME)),
    sizeOnDisk: whileOpen("measure", () => fs.statSync(file).size),
    close: Effect.suspend(() => {
      if (!state.isOpen) return Effect.void
      state.isOpen = false
      return Effect.tryPromise({ try: () => db.close(), catch: (error) => engineError("close", file, error) })
    })
  }
}

/** Opens the LMDB store in `directory`, or makes one. */
export const openLmdbStore = (directory: string): Effect.Effect<KeyValueStore, StorageError> =>
  Effect.tryPromise({
    try: async () => {
      if (!lmdbHasData(directory)) await beginStore(directory, async (place) => (await openLmdbDatabase(place)).close())
      return storeOf(directory, await openLmdbDatabase(directory))
    },
    catch: (error) => engineError("open", lmdbFile(directory), error)
  })
