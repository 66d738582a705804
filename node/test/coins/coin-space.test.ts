import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type CoinSpace, otherSpace, storeIn } from "../../src/coins/coin-space.ts"
import { KeySpace, rangeOf } from "../../src/storage/key-space.ts"
import type { KeyValueReader } from "../../src/storage/key-value/key-value-store.ts"
import { makeMemoryStore } from "../../src/storage/key-value/memory-store.ts"

const FIRST = KeySpace.coin
const SECOND = KeySpace.secondCoin

const key = (space: number, ...rest: ReadonlyArray<number>): Uint8Array => Uint8Array.of(space, ...rest)

/** What a range holds, as lists of numbers. */
const held = (reader: KeyValueReader, range = rangeOf(FIRST)) =>
  Effect.map(
    Stream.runCollect(reader.range(range)),
    (chunks) => chunks.flat().map(([each, value]) => [[...each], [...value]])
  )

describe("the two sets of coins in a store", () => {
  it.effect("are each read and written under the same keys, and the rest of the store is that of both", () =>
    Effect.gen(function*() {
      const whole = makeMemoryStore()
      let space: CoinSpace = FIRST
      const store = storeIn(whole, () => space)
      const put = (value: number, ...keys: ReadonlyArray<Uint8Array>) =>
        store.write((batch) => keys.forEach((each) => batch.put(each, Uint8Array.of(value))))
      yield* put(1, key(FIRST, 1), key(FIRST, 2), key(KeySpace.meta, 1))
      space = otherSpace(FIRST)
      assert.strictEqual(space, SECOND)
      yield* put(2, key(FIRST, 2), key(FIRST, 3), key(KeySpace.meta, 2))
      assert.deepStrictEqual(yield* held(store), [[[FIRST, 2], [2]], [[FIRST, 3], [2]]])
      assert.deepStrictEqual(yield* held(whole, rangeOf(SECOND)), [[[SECOND, 2], [2]], [[SECOND, 3], [2]]])
      assert.deepStrictEqual(yield* held(store, rangeOf(KeySpace.meta)), [
        [[KeySpace.meta, 1], [1]],
        [[KeySpace.meta, 2], [2]]
      ])
      const part = (from: number, to: number) => held(store, { from: key(FIRST, from), to: key(FIRST, to) })
      assert.deepStrictEqual([yield* part(3, 4), yield* part(2, 3)], [[[[FIRST, 3], [2]]], [[[FIRST, 2], [2]]]])
      assert.isUndefined(yield* store.get(key(FIRST, 1)))
      const all = yield* store.getMany([key(FIRST, 1), key(FIRST, 2), key(KeySpace.meta, 1)])
      assert.deepStrictEqual(all.map((each) => each && [...each]), [undefined, [2], [1]])
      yield* store.write((batch) => batch.remove(key(FIRST, 2)))
      assert.strictEqual(otherSpace(space), FIRST)
      space = FIRST
      assert.deepStrictEqual(yield* held(store), [[[FIRST, 1], [1]], [[FIRST, 2], [1]]])
      assert.deepStrictEqual(yield* held(whole, rangeOf(SECOND)), [[[SECOND, 3], [2]]])
    }))

  it.effect("are kept apart by a snapshot, which stays with the one that it began with", () =>
    Effect.gen(function*() {
      const whole = makeMemoryStore()
      let space: CoinSpace = SECOND
      const store = storeIn(whole, () => space)
      yield* store.write((batch) => batch.put(key(FIRST, 9), Uint8Array.of(9)))
      const snapshot = yield* store.snapshot
      space = FIRST
      assert.deepStrictEqual(yield* held(snapshot), [[[FIRST, 9], [9]]])
      assert.deepStrictEqual(yield* held(store), [])
      yield* snapshot.close
    }))
})
