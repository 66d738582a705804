import * as Effect from "effect/Effect"
import type { StorageError } from "../storage-error.ts"
import { type RangeChunk, CHUNK_ENTRIES, chunkedRange, rangeOfSnapshot } from "./chunked-range.ts"
import { storeError } from "./engine-error.ts"
import { requireKey } from "./key-limits.ts"
import type { KeyRange, KeyValue, KeyValueReader, KeyValueSnapshot, KeyValueStore } from "./key-value-store.ts"
import { wholeBatch } from "./whole-batch.ts"

/** Compares byte by byte; a prefix comes before longer keys. */
const compareKeys = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b)

/** Entries in key order. Never changed in place, so every snapshot is one of these. */
type Sorted = ReadonlyArray<KeyValue>

/** Returns the index at which `key` is or would be inserted. */
const placeOf = (entries: Sorted, key: Uint8Array): number => {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(entries[middle]![0], key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

const find = (entries: Sorted, key: Uint8Array): Uint8Array | undefined => {
  const entry = entries[placeOf(entries, key)]
  return entry !== undefined && compareKeys(entry[0], key) === 0 ? entry[1].slice() : undefined
}

const chunkOf = (entries: Sorted, range: KeyRange): RangeChunk => {
  const [start, end] = [placeOf(entries, range.from), placeOf(entries, range.to)]
  const count = Math.max(0, Math.min(end - start, CHUNK_ENTRIES, range.limit ?? Infinity))
  const picked = range.reverse === true
    ? entries.slice(end - count, end).reverse()
    : entries.slice(start, start + count)
  return { entries: picked.map(([key, value]) => [key.slice(), value.slice()] as const), more: count < end - start }
}

type Change = readonly [key: Uint8Array, value: Uint8Array | undefined]

/** The last change of each key, in key order. */
const lastOfEach = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const ordered = changes.map((change, place) => ({ change, place }))
  ordered.sort((a, b) => compareKeys(a.change[0], b.change[0]) || a.place - b.place)
  return ordered
    .filter(({ change }, at) => at + 1 === ordered.length || compareKeys(change[0], ordered[at + 1]!.change[0]) !== 0)
    .map(({ change }) => change)
}

const merged = (entries: Sorted, changes: ReadonlyArray<Change>): Sorted => {
  const result: Array<KeyValue> = []
  let at = 0
  for (const [key, value] of lastOfEach(changes)) {
    while (at < entries.length && compareKeys(entries[at]![0], key) < 0) result.push(entries[at++]!)
    if (at < entries.length && compareKeys(entries[at]![0], key) === 0) at++
    if (value !== undefined) result.push([key, value])
  }
  while (at < entries.length) result.push(entries[at++]!)
  return result
}

const PATH = "(memory)"

/** Makes a store in memory, for tests. */
export const makeMemoryStore = (): KeyValueStore => {
  let current: Sorted | undefined = []
  const entries = Effect.suspend(() =>
    current === undefined ? Effect.fail(storeError("io", "use", PATH, "it is closed")) : Effect.succeed(current)
  )

  const readerOf = (view: Effect.Effect<Sorted, StorageError>): Omit<KeyValueReader, "range"> => ({
    get: (key) => Effect.map(view, (sorted) => find(sorted, key)),
    getMany: (keys) => Effect.map(view, (sorted) => keys.map((key) => find(sorted, key)))
  })

  const snapshot = Effect.map(entries, (taken): KeyValueSnapshot => {
    const view = Effect.as(entries, taken)
    return {
      ...readerOf(view),
      range: (range) => chunkedRange(range, (left) => Effect.map(view, (sorted) => chunkOf(sorted, left))),
      close: Effect.void
    }
  })

  return {
    engine: "memory",
    ...readerOf(entries),
    range: (range) => rangeOfSnapshot(snapshot, range),
    snapshot,
    write: (fill) =>
      Effect.map(entries, (sorted) => {
        const changes: Array<Change> = []
        const batch = wholeBatch({
          put: (key, value) => {
            requireKey(key)
            changes.push([key.slice(), value.slice()])
          },
          remove: (key) => {
            requireKey(key)
            changes.push([key.slice(), undefined])
          }
        })
        fill(batch)
        batch.demandWhole()
        current = merged(sorted, changes)
      }),
    flush: Effect.asVoid(entries),
    examine: Effect.void,
    sizeOnDisk: Effect.map(
      entries,
      (sorted) => sorted.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
    ),
    close: Effect.sync(() => {
      current = undefined
    })
  }
}
