import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import type { KeyRange, KeyValueReader, KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { type Engine, entriesOf, fresh } from "./behaviour.ts"
import { LEVELDB, LMDB, MEMORY } from "./engines.ts"

/** Short keys of few letters: many of them are equal, or begin each other. */
const key = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 3, max: 2 }),
  fc.uint8Array({ minLength: 1, maxLength: 4, min: 253 }),
  fc.uint8Array({ minLength: 1, maxLength: 511 })
)
const value = fc.oneof(
  fc.uint8Array({ maxLength: 8 }),
  fc.uint8Array({ minLength: 2000, maxLength: 9000, size: "max" })
)

type Change = readonly [key: Uint8Array, value: Uint8Array | undefined]

const changes: fc.Arbitrary<ReadonlyArray<Change>> = fc.array(
  fc.tuple(key, fc.option(value, { nil: undefined, freq: 3 })),
  { maxLength: 30 }
)

const range: fc.Arbitrary<KeyRange> = fc.record(
  { from: key, to: key, reverse: fc.boolean(), limit: fc.nat({ max: 12 }) },
  { requiredKeys: ["from", "to"] }
)

type Step =
  | { readonly _tag: "Write"; readonly changes: ReadonlyArray<Change> }
  | { readonly _tag: "Abandon"; readonly changes: ReadonlyArray<Change> }
  | { readonly _tag: "Snapshot" }
  | { readonly _tag: "Get"; readonly keys: ReadonlyArray<Uint8Array> }
  | { readonly _tag: "Range"; readonly range: KeyRange }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ _tag: fc.constant("Write" as const), changes }),
  fc.record({ _tag: fc.constant("Abandon" as const), changes }),
  fc.constant({ _tag: "Snapshot" as const }),
  fc.record({ _tag: fc.constant("Get" as const), keys: fc.array(key, { maxLength: 20 }) }),
  fc.record({ _tag: fc.constant("Range" as const), range })
)

/** Values by key in hex, which orders as the keys do. */
type Model = ReadonlyMap<string, Uint8Array>

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const changed = (model: Model, batch: ReadonlyArray<Change>): Model => {
  const next = new Map(model)
  for (const [at, content] of batch) {
    if (content === undefined) next.delete(hex(at))
    else next.set(hex(at), content)
  }
  return next
}

const expected = (model: Model, { from, limit, reverse, to }: KeyRange): ReadonlyArray<readonly [string, string]> => {
  const inside = [...model].filter(([at]) => at >= hex(from) && at < hex(to)).toSorted(([a], [b]) => a < b ? -1 : 1)
  const ordered = reverse === true ? inside.toReversed() : inside
  return ordered.slice(0, limit ?? ordered.length).map(([at, content]) => [at, hex(content)])
}

const write = (store: KeyValueStore, batch: ReadonlyArray<Change>): Effect.Effect<void, StorageError> =>
  store.write((writer) => {
    for (const [at, content] of batch) {
      if (content === undefined) writer.remove(at)
      else writer.put(at, content)
    }
  })

/** Every reader against the model of the moment it belongs to. */
const agrees = (
  readers: ReadonlyArray<readonly [KeyValueReader, Model]>,
  action: Step
): Effect.Effect<void, StorageError> =>
  Effect.gen(function*() {
    for (const [reader, model] of readers) {
      if (action._tag === "Range") {
        const entries = yield* entriesOf(reader, action.range)
        assert.deepStrictEqual(
          entries.map(([at, content]) => [hex(at), hex(content)] as const),
          expected(model, action.range)
        )
      }
      if (action._tag !== "Get") continue
      const many = yield* reader.getMany(action.keys)
      for (const [place, at] of action.keys.entries()) {
        assert.deepStrictEqual(many[place], model.get(hex(at)))
        assert.deepStrictEqual(yield* reader.get(at), model.get(hex(at)))
      }
    }
  })

const run = (store: KeyValueStore, steps: ReadonlyArray<Step>): Effect.Effect<void, StorageError> =>
  Effect.gen(function*() {
    const everything: KeyRange = { from: Uint8Array.of(0), to: new Uint8Array(511).fill(255) }
    yield* store.write((batch) => batch.remove(Uint8Array.of(0)))
    let model: Model = new Map(
      (yield* entriesOf(store, everything)).map(([at, content]) => [hex(at), content] as const)
    )
    const snapshots: Array<readonly [KeyValueReader, Model]> = []
    const closing: Array<Effect.Effect<void>> = []
    for (const action of steps) {
      if (action._tag === "Write") {
        yield* write(store, action.changes)
        model = changed(model, action.changes)
      } else if (action._tag === "Abandon") {
        yield* Effect.exit(store.write((writer) => {
          for (const [at] of action.changes) writer.put(at, Uint8Array.of(1))
          throw new Error("abandoned")
        }))
      } else if (action._tag === "Snapshot") {
        const snapshot = yield* store.snapshot
        snapshots.push([snapshot, model])
        closing.push(snapshot.close)
      }
      yield* agrees([[store, model], ...snapshots], action)
    }
    yield* agrees([[store, model], ...snapshots], { _tag: "Range", range: everything })
    for (const close of closing) yield* close
  })

const check = (engine: Engine, runs: number): void => {
  it.live(`${engine.name} answers as a sorted map does, and its snapshots as the map of their moment`, () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      const seed = Number(process.env["LOCKSTEP_SEED"] ?? 1)
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 20 }), (steps) => Effect.runPromise(run(store, steps))),
          {
            seed,
            numRuns: runs
          }
        )
      )
    }))
}

describe("model", () => {
  check(LMDB, 60)
  check(LEVELDB, 60)
  check(MEMORY, 60)
})

const MILLION = 1_000_000

describe("large batches", () => {
  for (const engine of [LMDB, LEVELDB]) {
    it.live(`${engine.name} takes a million entries as one batch, and finds them when opened again`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const keyOf = (n: number): Uint8Array => Uint8Array.of(0x63, n >>> 16, n >>> 8, n)
        yield* Effect.scoped(Effect.gen(function*() {
          const store = yield* Effect.acquireRelease(engine.open(directory), ({ close }) => Effect.orDie(close))
          const content = new Uint8Array(40)
          yield* store.write((batch) => {
            for (let n = 0; n < MILLION; n++) batch.put(keyOf(n), content.fill(n))
          })
        }))
        const store = yield* Effect.acquireRelease(engine.open(directory), ({ close }) => Effect.orDie(close))
        const asked = [0, 1, 65_535, 65_536, 500_000, MILLION - 1]
        const found = yield* store.getMany([...asked, MILLION].map(keyOf))
        assert.deepStrictEqual(found.map((content) => content?.[39]), [...asked.map((n) => n & 255), undefined])
        const tail = yield* entriesOf(store, { from: keyOf(0), to: keyOf(MILLION), reverse: true, limit: 3 })
        assert.deepStrictEqual(tail.map(([at]) => hex(at)), [1, 2, 3].map((n) => hex(keyOf(MILLION - n))))
      }))
  }
})
