import { ensuring } from "../../finalizers/finalizers.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BatchWriter, KeyValueReader, KeyValueSnapshot } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"

/** A value that a commit writes, or `undefined` if it removes the key. */
export interface PendingChange {
  /** The key, one byte per character, so that strings compare as bytes do. */
  readonly key: string
  readonly value: Uint8Array | undefined
}

/** Uncommitted changes of entries; a later change of a key replaces an earlier one. */
export interface PendingChanges {
  readonly put: (key: Uint8Array, value: Uint8Array) => void
  readonly remove: (key: Uint8Array) => void
  /** Returns the change of a key, or `undefined`. */
  readonly of: (key: Uint8Array) => PendingChange | undefined
  /** Returns the changes from `from` (included) to `to` (excluded), in key order. */
  readonly between: (from: Uint8Array, to: Uint8Array) => ReadonlyArray<PendingChange>
  readonly writeTo: (batch: BatchWriter) => void
  readonly clear: () => void
  readonly isFull: () => boolean
}

/** About 30 MB of keys and values. */
const MOST_PENDING = 100_000

const textOf = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1")

/** Returns the index of the first key that is not before this one. */
const placeOf = (keys: ReadonlyArray<string>, key: string): number => {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}

export const pendingChanges = (most: number = MOST_PENDING): PendingChanges => {
  const changes = new Map<string, Uint8Array | undefined>()
  /** Keys in order; `undefined` if something changed since they were sorted. */
  let order: ReadonlyArray<string> | undefined
  const sorted = (): ReadonlyArray<string> => order ??= [...changes.keys()].sort()
  const set = (key: Uint8Array, value: Uint8Array | undefined): void => {
    changes.set(textOf(key), value)
    order = undefined
  }
  return {
    put: set,
    remove: (key) => set(key, undefined),
    of: (key) => {
      const text = textOf(key)
      return changes.has(text) ? { key: text, value: changes.get(text) } : undefined
    },
    between: (from, to) => {
      const keys = sorted()
      return keys.slice(placeOf(keys, textOf(from)), placeOf(keys, textOf(to)))
        .map((key) => ({ key, value: changes.get(key) }))
    },
    writeTo: (batch) => {
      for (const key of sorted()) {
        const value = changes.get(key)
        if (value === undefined) batch.remove(Buffer.from(key, "latin1"))
        else batch.put(Buffer.from(key, "latin1"), value)
      }
    },
    clear: () => {
      changes.clear()
      order = undefined
    },
    isFull: () => changes.size >= most
  }
}

/** A range of entries with its uncommitted changes. It is of one tip, because it is taken in one turn of the writer. */
export interface TakenRange {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly reverse: boolean
  readonly changes: ReadonlyArray<PendingChange>
}

/** Takes a range of the changes, for a walk over it. */
export const takeRange = (
  pending: PendingChanges,
  from: Uint8Array,
  to: Uint8Array,
  reverse = false
): TakenRange => {
  const changes = pending.between(from, to)
  return { from, to, reverse, changes: reverse ? changes.toReversed() : changes }
}

type Visit = (key: Uint8Array, value: Uint8Array) => void

/** Walks over the entries of a range with the changes applied, in its direction. Other tasks get their turns. */
export const walkRange = (
  reader: KeyValueReader,
  { changes, from, reverse, to }: TakenRange,
  visit: Visit
): Effect.Effect<void, StorageError> => {
  let next = 0
  const visitChange = ({ key, value }: PendingChange): void => {
    if (value !== undefined) visit(Buffer.from(key, "latin1"), value)
  }
  const isBefore = (left: string, right: string): boolean => reverse ? left > right : left < right
  const visitEntry = (key: Uint8Array, value: Uint8Array): void => {
    const text = textOf(key)
    while (next < changes.length && isBefore(changes[next]!.key, text)) visitChange(changes[next++]!)
    if (changes[next]?.key === text) visitChange(changes[next++]!)
    else visit(key, value)
  }
  return Effect.andThen(
    Stream.runForEach(reader.range({ from, to, reverse }), (entries) => {
      for (const [key, value] of entries) visitEntry(key, value)
      return Effect.yieldNow
    }),
    Effect.sync(() => {
      while (next < changes.length) visitChange(changes[next++]!)
    })
  )
}

/** Uses a snapshot and closes it. */
export const withSnapshot = <A, E>(
  snapshot: KeyValueSnapshot,
  use: Effect.Effect<A, E>
): Effect.Effect<A, E> => ensuring(use, snapshot.close)
