import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { pendingChanges, takeRange, walkRange } from "../../src/indexes/outputs/pending-changes.ts"
import { openLmdbStore } from "../../src/storage/key-value/lmdb-store.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const [FROM, TO] = [Uint8Array.of(1), Uint8Array.of(2)]

describe("changes that wait for a commit", () => {
  it.live("stand over what the store has, in both directions, before the commit and after it", () =>
    Effect.gen(function*() {
      const store = yield* Effect.acquireRelease(
        openLmdbStore(yield* temporaryDirectory),
        ({ close }) => Effect.ignore(close)
      )
      yield* store.write((batch) => {
        for (const key of [2, 4, 6, 8]) batch.put(Uint8Array.of(1, key), Uint8Array.of(key))
        batch.put(TO, Uint8Array.of(99))
      })
      const pending = pendingChanges(5)
      pending.put(Uint8Array.of(1, 1), Uint8Array.of(1))
      pending.put(Uint8Array.of(1, 4), Uint8Array.of(44))
      pending.remove(Uint8Array.of(1, 6))
      pending.put(Uint8Array.of(1, 9), Uint8Array.of(9))
      assert.isFalse(pending.isFull())
      pending.put(Uint8Array.of(2, 0), Uint8Array.of(98))
      assert.isTrue(pending.isFull())
      const found = (reverse: boolean) =>
        Effect.gen(function*() {
          const seen: Array<readonly [number, number]> = []
          const range = takeRange(pending, FROM, TO, reverse)
          yield* walkRange(store, range, (key, value) => void seen.push([key[1]!, value[0]!]))
          return seen
        })
      const expected: ReadonlyArray<readonly [number, number]> = [[1, 1], [2, 2], [4, 44], [8, 8], [9, 9]]
      assert.deepStrictEqual(yield* found(false), expected)
      assert.deepStrictEqual(yield* found(true), expected.toReversed())
      yield* store.write(pending.writeTo)
      assert.deepStrictEqual(yield* found(false), expected)
      pending.clear()
      assert.deepStrictEqual(yield* found(false), expected)
      assert.deepStrictEqual(yield* found(true), expected.toReversed())
      assert.isFalse(pending.isFull())
    }))
})
