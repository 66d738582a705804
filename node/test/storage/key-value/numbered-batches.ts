import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"

/** Batches whose entries are there at a time: each one removes those of the one so many before it. */
export const KEPT = 3

/** Holds the number of the last batch. */
export const LAST = Uint8Array.of(0x6d, 0x6c)

const VALUE_SIZE = 50

export const keyOf = (batch: number, entry: number): Uint8Array => {
  const key = new Uint8Array(9)
  const view = new DataView(key.buffer)
  key[0] = 0x63
  // Scattered over the whole store, as coins are.
  view.setUint32(1, Math.imul(entry, 0x9e3779b1))
  view.setUint32(5, batch)
  return key
}

export const valueOf = (batch: number): Uint8Array => {
  const value = new Uint8Array(VALUE_SIZE)
  new DataView(value.buffer).setUint32(0, batch)
  return value
}

/** Checks that a store holds its last batches completely and nothing else; answers the number of the last one. */
export const wholeBatches = (store: KeyValueStore, entries: number): Effect.Effect<number, StorageError> =>
  Effect.gen(function*() {
    const stored = yield* store.get(LAST)
    const found = new Map<number, number>()
    yield* Stream.runForEach(
      store.range({ from: Uint8Array.of(0x63), to: Uint8Array.of(0x64) }),
      (chunk) =>
        Effect.sync(() => {
          for (const [key, value] of chunk) {
            const batch = new DataView(key.buffer, key.byteOffset).getUint32(5)
            assert.strictEqual(new DataView(value.buffer, value.byteOffset).getUint32(0), batch)
            found.set(batch, (found.get(batch) ?? 0) + 1)
          }
        })
    )
    if (stored === undefined) {
      assert.strictEqual(found.size, 0)
      return -1
    }
    const last = new DataView(stored.buffer, stored.byteOffset).getUint32(0)
    const expected = Array.from({ length: Math.min(KEPT, last + 1) }, (_, n) => [last - n, entries] as const)
    assert.deepStrictEqual([...found].toSorted(([a], [b]) => b - a), expected.map(([batch, count]) => [batch, count]))
    return last
  })
