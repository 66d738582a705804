import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { MAX_KEY_SIZE } from "../../storage/key-value/key-limits.ts"
import { EVERYTHING } from "../../storage/key-value/opening/copy-store.ts"
import type { KeyRange, KeyValue, KeyValueStore } from "../../storage/key-value/key-value-store.ts"
import { requestFailed } from "./api-call.ts"
import type { RequestHandlers, ModuleContext, Payload } from "./module-context.ts"
import { storageFailed } from "./module-storage.ts"

/** Maximum bytes of a module's database on disk. */
const MAX_STORAGE_BYTES = 1024 * 1024 * 1024

/** Maximum bytes of values in one answer. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

/** Maximum number of keys in one request and of entries in one answer. */
const MAX_ENTRIES = 1_024

const exhausted = (text: string): IpcError => ({ kind: "ResourceExhausted", text })

const isKey = ({ length }: Uint8Array): boolean => length > 0 && length <= MAX_KEY_SIZE
const BAD_KEY = requestFailed(`a key has 1 to ${MAX_KEY_SIZE} bytes`)

const { from: BEGIN, to: END } = EVERYTHING

const heldKeys = (keys: ReadonlyArray<Uint8Array>): Effect.Effect<void, IpcError> =>
  keys.length > MAX_ENTRIES
    ? Effect.fail(exhausted(`a request has up to ${MAX_ENTRIES} keys`))
    : keys.every(isKey)
    ? Effect.void
    : Effect.fail(BAD_KEY)

/** Reads values one after another, so that at most one of them is in memory beyond the limit of the answer. */
const valuesOf = Effect.fnUntraced(function*({ module: { storage } }: ModuleContext, keys: ReadonlyArray<Uint8Array>) {
  yield* heldKeys(keys)
  const store = yield* storage
  const values: Array<Uint8Array | undefined> = []
  let bytes = 0
  for (const key of keys) {
    const value = yield* Effect.mapError(store.get(key), storageFailed)
    bytes += value?.length ?? 0
    if (bytes > MAX_ANSWER_BYTES) {
      return yield* Effect.fail(exhausted(`the values have more than ${MAX_ANSWER_BYTES} bytes: ask for fewer`))
    }
    values.push(value)
  }
  return values
})

/** Reads entries up to a limit of number or of bytes; the first entry may exceed the latter. */
const entriesOf = (store: KeyValueStore, range: KeyRange): Effect.Effect<ReadonlyArray<KeyValue>, IpcError> =>
  Effect.suspend(() => {
    let [bytes, count] = [0, 0]
    const isRoom = (): boolean => count === 0 || (count < range.limit! && bytes < MAX_ANSWER_BYTES)
    const wanted = Stream.takeWhile(
      Stream.flatMap(store.range(range), Stream.fromIterable),
      ([key, value]) => {
        const is = isRoom()
        bytes += key.length + value.length
        count++
        return is
      }
    )
    return Effect.mapError(Stream.runCollect(wanted), storageFailed)
  })

const rangeOf = ({ from, limit, reverse, to }: Payload<"ListStorage">): KeyRange => ({
  from: from.length === 0 ? BEGIN : from,
  to: to ?? END,
  reverse,
  limit: Math.min(limit, MAX_ENTRIES)
})

const list = Effect.fnUntraced(function*({ module: { storage } }: ModuleContext, request: Payload<"ListStorage">) {
  const { from, limit, to } = request
  if (limit < 1) return yield* Effect.fail(requestFailed("limit must be at least 1"))
  if (from.length > MAX_KEY_SIZE || (to !== undefined && !isKey(to))) return yield* Effect.fail(BAD_KEY)
  return yield* entriesOf(yield* storage, rangeOf(request))
})

const write = Effect.fnUntraced(
  function*({ module: { storage } }: ModuleContext, { puts, removals }: Payload<"WriteStorage">) {
    yield* heldKeys([...puts.map(({ key }) => key), ...removals])
    const store = yield* storage
    const size = yield* Effect.mapError(store.sizeOnDisk, storageFailed)
    if (puts.length > 0 && size > MAX_STORAGE_BYTES) {
      return yield* Effect.fail(exhausted(`the module's database has more than ${MAX_STORAGE_BYTES} bytes`))
    }
    yield* Effect.mapError(
      store.write((batch) => {
        for (const { key, value } of puts) batch.put(key, value)
        for (const key of removals) batch.remove(key)
      }),
      storageFailed
    )
  }
)

/** Removes all entries, in batches that bound the memory. */
const clear = Effect.fnUntraced(function*({ module: { storage } }: ModuleContext) {
  const store = yield* storage
  yield* Effect.mapError(
    Stream.runForEach(
      store.range({ from: BEGIN, to: END }),
      (entries) => store.write((batch) => entries.forEach(([key]) => batch.remove(key)))
    ),
    storageFailed
  )
})

/** Handlers of requests about the module's own database. */
export const STORAGE_REQUESTS: RequestHandlers<"ReadStorage" | "ListStorage" | "WriteStorage" | "ClearStorage"> = {
  ReadStorage: (context, { keys }) =>
    Effect.map(valuesOf(context, keys), (value) => ({ _tag: "StorageValues", value })),
  ListStorage: (context, request) =>
    Effect.map(list(context, request), (entries) => ({
      _tag: "StorageEntries",
      value: entries.map(([key, value]) => ({ key, value }))
    })),
  WriteStorage: (context, request) => Effect.as(write(context, request), { _tag: "StorageWritten" }),
  ClearStorage: (context) => Effect.as(clear(context), { _tag: "StorageWritten" })
}
