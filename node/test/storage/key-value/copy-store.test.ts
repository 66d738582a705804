import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import { makeMemoryStore } from "../../../src/storage/key-value/memory-store.ts"
import { copyStore, EVERYTHING } from "../../../src/storage/key-value/opening/copy-store.ts"

/** As many keys as make several batches of a copy, the first and the last possible ones among them. */
const keys = (count: number): ReadonlyArray<Uint8Array> => [
  Uint8Array.of(0),
  ...Array.from({ length: count - 2 }, (_, n) => Uint8Array.of(1, n >>> 16, (n >>> 8) & 0xff, n & 0xff)),
  Uint8Array.of(...Array.from({ length: EVERYTHING.to.length - 1 }, () => 0xff))
]

const filled = (count: number) =>
  Effect.tap(Effect.sync(makeMemoryStore), (store) =>
    store.write((batch) => {
      for (const key of keys(count)) batch.put(key, Uint8Array.of(key.length, key.at(-1)!))
    }))

const contentOf = (store: KeyValueStore) =>
  Effect.map(Stream.runCollect(store.range(EVERYTHING)), (chunks) => Buffer.concat([...chunks].flat().flat()))

/** A store that notes the size of each batch. */
const noting = () => {
  const store = makeMemoryStore()
  const batches: Array<number> = []
  const write: KeyValueStore["write"] = (fill) =>
    store.write((batch) => {
      let entries = 0
      fill({
        ...batch,
        put: (key, value) => {
          entries++
          batch.put(key, value)
        }
      })
      batches.push(entries)
    })
  return { store: { ...store, write }, batches }
}

describe("a copy of a store", () => {
  it.effect("has every entry, and says how many they are", () =>
    Effect.gen(function*() {
      const from = yield* filled(66_000)
      const { batches, store } = noting()
      assert.strictEqual(yield* copyStore(from, store, () => true), 66_000)
      assert.isTrue((yield* contentOf(store)).equals(yield* contentOf(from)))
      assert.strictEqual(batches.reduce((sum, size) => sum + size, 0), 66_000)
      // Neither one entry at a time nor all of them in one batch.
      assert.deepStrictEqual(batches, [65_536, 464])
    }))

  it.effect("of an empty store is empty", () =>
    Effect.gen(function*() {
      const { batches, store } = noting()
      assert.strictEqual(yield* copyStore(makeMemoryStore(), store, () => true), 0)
      assert.deepStrictEqual(batches, [])
    }))

  it.effect("ends before the next batch when it is not wanted any more", () =>
    Effect.gen(function*() {
      const from = yield* filled(66_000)
      const { batches, store } = noting()
      let looks = 0
      const count = yield* copyStore(from, store, () => ++looks < 2)
      assert.deepStrictEqual(batches, [count])
      assert.isBelow(count, 66_000)
      assert.strictEqual(yield* copyStore(from, noting().store, () => false), 0)
    }))
})
