import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import {
  CHUNK_BYTES,
  CHUNK_ENTRIES,
  chunkedRange,
  type RangeChunk,
  rangeOfSnapshot,
  restOf
} from "../../../src/storage/key-value/chunked-range.ts"
import type { KeyRange, KeyValueSnapshot } from "../../../src/storage/key-value/key-value-store.ts"

const key = (...bytes: ReadonlyArray<number>): Uint8Array => Uint8Array.from(bytes)
const entry = (byte: number) => [key(byte), key(byte)] as const
const RANGE: KeyRange = { from: key(1), to: key(9) }

/** Answers these chunks one after another, and notes what was asked. */
const source = (...chunks: ReadonlyArray<RangeChunk>) => {
  const asked: Array<KeyRange> = []
  return {
    asked,
    next: (range: KeyRange) =>
      Effect.sync(() => {
        asked.push(range)
        return chunks[asked.length - 1]!
      })
  }
}

const found = (range: KeyRange, next: (range: KeyRange) => Effect.Effect<RangeChunk>) =>
  Effect.map(
    Stream.runCollect(chunkedRange(range, next)),
    (chunks) => chunks.map((entries) => entries.map(([each]) => each[0]))
  )

describe("a range that is walked in chunks", () => {
  it("has chunks of 1,024 entries or a mebibyte", () => {
    assert.deepStrictEqual([CHUNK_ENTRIES, CHUNK_BYTES], [1_024, 1_048_576])
  })

  it("goes on behind the last key, or before it the other way round, with what is left of the limit", () => {
    assert.deepStrictEqual(restOf(RANGE, key(4, 5), 2), { from: key(4, 5, 0), to: key(9) })
    assert.deepStrictEqual(restOf({ ...RANGE, limit: 10 }, key(4), 3), { from: key(4, 0), to: key(9), limit: 7 })
    assert.deepStrictEqual(restOf({ ...RANGE, reverse: true, limit: 3 }, key(4), 3), {
      from: key(1),
      to: key(4),
      reverse: true,
      limit: 0
    })
    assert.deepStrictEqual(restOf({ ...RANGE, reverse: false }, key(4), 1).from, key(4, 0))
  })

  it.effect("is asked for chunk by chunk until one says that it is the last", () =>
    Effect.gen(function*() {
      const { asked, next } = source({ entries: [entry(1), entry(2)], more: true }, {
        entries: [entry(3)],
        more: false
      })
      assert.deepStrictEqual(yield* found(RANGE, next), [[1, 2], [3]])
      assert.deepStrictEqual(asked, [RANGE, { from: key(2, 0), to: key(9) }])
    }))

  it.effect("ends with a chunk that is empty, and is not asked for where its limit is used up", () =>
    Effect.gen(function*() {
      const empty = source({ entries: [entry(1)], more: true }, { entries: [], more: true })
      assert.deepStrictEqual(yield* found(RANGE, empty.next), [[1]])
      assert.lengthOf(empty.asked, 2)
      const limited = source({ entries: [entry(1), entry(2)], more: true })
      assert.deepStrictEqual(yield* found({ ...RANGE, limit: 2 }, limited.next), [[1, 2]])
      assert.lengthOf(limited.asked, 1)
      const none = source()
      for (const limit of [0, -1]) assert.deepStrictEqual(yield* found({ ...RANGE, limit }, none.next), [])
      assert.lengthOf(none.asked, 0)
      const one = source({ entries: [entry(1)], more: true })
      assert.deepStrictEqual(yield* found({ ...RANGE, limit: 1 }, one.next), [[1]])
      assert.lengthOf(one.asked, 1)
    }))

  it.effect("of a snapshot closes it at the end, also of a walk that ends early", () =>
    Effect.gen(function*() {
      let closed = 0
      const { next } = source({ entries: [entry(1)], more: true }, { entries: [entry(2)], more: true })
      const snapshot = {
        range: (range: KeyRange) => chunkedRange(range, next),
        close: Effect.sync(() => void closed++)
      } as unknown as KeyValueSnapshot
      const first = Stream.runHead(rangeOfSnapshot(Effect.succeed(snapshot), RANGE))
      assert.strictEqual((yield* first)._tag, "Some")
      assert.strictEqual(closed, 1)
    }))
})
