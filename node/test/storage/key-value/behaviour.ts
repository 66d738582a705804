import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type {
  BatchWriter,
  KeyRange,
  KeyValue,
  KeyValueReader,
  KeyValueStore
} from "../../../src/storage/key-value/key-value-store.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

export interface Engine {
  readonly name: string
  readonly open: (directory: string) => Effect.Effect<KeyValueStore, StorageError>
  /** Whether what was written is there after opening again. */
  readonly isDurable: boolean
}

export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"))
export const textOf = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value).toString("latin1")

export const opened = (engine: Engine, directory: string): Effect.Effect<KeyValueStore, StorageError, Scope.Scope> =>
  Effect.acquireRelease(engine.open(directory), (store) => Effect.orDie(store.close))

export const fresh = (engine: Engine): Effect.Effect<KeyValueStore, StorageError, Scope.Scope> =>
  Effect.flatMap(temporaryDirectory, (directory) => opened(engine, directory))

export const entriesOf = (
  reader: KeyValueReader,
  range: KeyRange
): Effect.Effect<ReadonlyArray<KeyValue>, StorageError> =>
  Effect.map(Stream.runCollect(reader.range(range)), (chunks) => chunks.flat())

const keysOf = (
  reader: KeyValueReader,
  range: KeyRange
): Effect.Effect<ReadonlyArray<string | undefined>, StorageError> =>
  Effect.map(entriesOf(reader, range), (entries) => entries.map(([key]) => textOf(key)))

const put = (store: KeyValueStore, pairs: Readonly<Record<string, string>>): Effect.Effect<void, StorageError> =>
  store.write((batch) => {
    for (const [key, value] of Object.entries(pairs)) batch.put(bytes(key), bytes(value))
  })

const ALL: KeyRange = { from: Uint8Array.of(0), to: new Uint8Array(511).fill(255) }

/** Keys in the order of their numbers. */
const numbered = (n: number): Uint8Array => bytes(`k${String(n).padStart(5, "0")}`)

const reading = (engine: Engine): void => {
  it.effect("answers what was put, and nothing for what was not", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      yield* put(store, { a: "1", b: "2" })
      assert.strictEqual(textOf(yield* store.get(bytes("a"))), "1")
      assert.isUndefined(yield* store.get(bytes("c")))
      const many = yield* store.getMany(["b", "c", "a", "b"].map(bytes))
      assert.deepStrictEqual(many.map(textOf), ["2", undefined, "1", "2"])
      assert.deepStrictEqual(yield* store.getMany([]), [])
    }))

  it.effect("hands out values that later reads and writes leave alone", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      const value = bytes("first")
      yield* store.write((batch) => batch.put(bytes("k"), value))
      value.fill(0)
      yield* put(store, { l: "second", m: "a much longer value than the others" })
      const held = yield* store.get(bytes("k"))
      const many = yield* store.getMany([bytes("k"), bytes("m"), bytes("l")])
      yield* store.get(bytes("m"))
      yield* put(store, { k: "third" })
      assert.strictEqual(textOf(held), "first")
      assert.deepStrictEqual(many.map(textOf), ["first", "a much longer value than the others", "second"])
      held!.fill(7)
      assert.strictEqual(textOf(yield* store.get(bytes("k"))), "third")
    }))

  it.effect("keeps values that are empty, and keys of one byte and of 511", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      const long = new Uint8Array(511).fill(254)
      yield* store.write((batch) => {
        batch.put(Uint8Array.of(0), new Uint8Array(0))
        batch.put(long, bytes("long"))
      })
      assert.deepStrictEqual(yield* store.get(Uint8Array.of(0)), new Uint8Array(0))
      assert.strictEqual(textOf(yield* store.get(long)), "long")
      const entries = yield* entriesOf(store, ALL)
      assert.deepStrictEqual(entries.map(([key]) => key.length), [1, 511])
    }))

  it.effect("keeps values of 4 MB beside small ones", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      const big = Uint8Array.from({ length: 4_000_000 }, (_, at) => at * 31 >>> 3)
      yield* store.write((batch) => {
        batch.put(bytes("big"), big)
        batch.put(bytes("small"), bytes("s"))
      })
      assert.isTrue(Buffer.from(big).equals((yield* store.get(bytes("big")))!))
      const [again, small] = yield* store.getMany([bytes("big"), bytes("small")])
      assert.isTrue(Buffer.from(big).equals(again!))
      assert.strictEqual(textOf(small), "s")
      const [[, walked]] = yield* entriesOf(store, ALL) as Effect.Effect<ReadonlyArray<KeyValue>> as Effect.Effect<
        [KeyValue]
      >
      assert.isTrue(Buffer.from(big).equals(walked))
    }))
}

const ranges = (engine: Engine): void => {
  const keys = { "a": "", "a\0": "", "ab": "", "b": "", "\xff": "", "\xff\xff": "", "b\x80": "", "c": "" }
  const ordered = ["a", "a\0", "ab", "b", "b\x80", "c", "\xff", "\xff\xff"]

  it.effect("walks keys in byte order, both ways", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      yield* put(store, keys)
      assert.deepStrictEqual(yield* keysOf(store, ALL), ordered)
      assert.deepStrictEqual(yield* keysOf(store, { ...ALL, reverse: true }), ordered.toReversed())
    }))

  it.effect("includes the first bound and leaves out the second, both ways", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      yield* put(store, keys)
      const range = { from: bytes("ab"), to: bytes("c") }
      assert.deepStrictEqual(yield* keysOf(store, range), ["ab", "b", "b\x80"])
      assert.deepStrictEqual(yield* keysOf(store, { ...range, reverse: true }), ["b\x80", "b", "ab"])
      const between = { from: bytes("aa"), to: bytes("bb") }
      assert.deepStrictEqual(yield* keysOf(store, between), ["ab", "b"])
      assert.deepStrictEqual(yield* keysOf(store, { ...between, reverse: true }), ["b", "ab"])
    }))

  it.effect("stops at the limit, and an empty range is empty", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      yield* put(store, keys)
      assert.deepStrictEqual(yield* keysOf(store, { ...ALL, limit: 3 }), ordered.slice(0, 3))
      assert.deepStrictEqual(yield* keysOf(store, { ...ALL, limit: 2, reverse: true }), ["\xff\xff", "\xff"])
      assert.deepStrictEqual(yield* keysOf(store, { ...ALL, limit: 0 }), [])
      assert.deepStrictEqual(yield* keysOf(store, { from: bytes("x"), to: bytes("y") }), [])
      assert.deepStrictEqual(yield* keysOf(store, { from: bytes("b"), to: bytes("b") }), [])
      assert.deepStrictEqual(yield* keysOf(store, { from: bytes("c"), to: bytes("a") }), [])
      assert.deepStrictEqual(yield* keysOf(store, { from: bytes("c"), to: bytes("a"), reverse: true }), [])
    }))

  it.effect("walks more entries than a chunk holds, and stops early without harm", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      const count = 5000
      yield* store.write((batch) => {
        for (let n = 0; n < count; n++) batch.put(numbered(n), bytes(String(n)))
      })
      const chunks = yield* Stream.runCollect(store.range(ALL))
      assert.isAbove(chunks.length, 2)
      assert.deepStrictEqual(
        chunks.flat().map(([, value]) => Number(textOf(value))),
        Array.from({ length: count }, (_, n) => n)
      )
      const backwards = yield* entriesOf(store, { ...ALL, reverse: true, limit: 3000 })
      assert.deepStrictEqual(
        backwards.map(([, value]) => Number(textOf(value))),
        Array.from({ length: 3000 }, (_, n) => count - 1 - n)
      )
      const first = yield* Stream.runCollect(Stream.take(store.range(ALL), 1))
      assert.strictEqual(textOf(first[0]![0]![1]), "0")
      yield* put(store, { z: "after" })
    }))
}

const writing = (engine: Engine): void => {
  it.effect("applies a batch in its order: the last word on a key holds", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      yield* put(store, { a: "old", b: "old", gone: "old" })
      yield* store.write((batch) => {
        batch.put(bytes("a"), bytes("1"))
        batch.put(bytes("a"), bytes("2"))
        batch.put(bytes("b"), bytes("1"))
        batch.remove(bytes("b"))
        batch.remove(bytes("gone"))
        batch.put(bytes("gone"), bytes("back"))
        batch.remove(bytes("never there"))
      })
      const values = yield* store.getMany(["a", "b", "gone"].map(bytes))
      assert.deepStrictEqual(values.map(textOf), ["2", undefined, "back"])
    }))

  it.effect("lets the caller use its key and value again", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      const [used, value] = [new Uint8Array(2), new Uint8Array(200)]
      yield* store.write((batch) => {
        for (let n = 0; n < 256; n++) {
          used[1] = n
          batch.put(used, value.fill(n))
        }
      })
      const entries = yield* entriesOf(store, ALL)
      assert.deepStrictEqual(
        entries.map(([k, v]) => [k[1], v[0], v[199]]),
        Array.from({ length: 256 }, (_, n) => [n, n, n])
      )
    }))

  it.effect("writes nothing of a batch whose filling throws, and goes on afterwards", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      yield* put(store, { a: "1" })
      const exit = yield* Effect.exit(store.write((batch) => {
        batch.put(bytes("a"), bytes("2"))
        batch.put(bytes("b"), bytes("2"))
        throw new Error("stop")
      }))
      assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("stop"))
      assert.deepStrictEqual((yield* entriesOf(store, ALL)).map(([, value]) => textOf(value)), ["1"])
      yield* put(store, { b: "3" })
      assert.deepStrictEqual((yield* entriesOf(store, ALL)).map(([, value]) => textOf(value)), ["1", "3"])
    }))

  it.effect("refuses keys that are empty or too long, as a defect, and writes nothing", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      for (const bad of [new Uint8Array(0), new Uint8Array(512)]) {
        const exit = yield* Effect.exit(store.write((batch) => {
          batch.put(bytes("beside"), bytes("1"))
          batch.put(bad, bytes("1"))
        }))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
      assert.deepStrictEqual(yield* entriesOf(store, ALL), [])
    }))

  it.effect("writes nothing of a batch with an entry that failed, though its filling went on", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const faults: ReadonlyArray<(batch: BatchWriter) => void> = [
        (batch) => batch.put(new Uint8Array(0), bytes("no key")),
        (batch) => batch.remove(new Uint8Array(512)),
        // Not even bytes: an engine may fail in the middle of its own work.
        (batch) => batch.put(bytes("b"), undefined as unknown as Uint8Array)
      ]
      for (const fault of faults) {
        yield* Effect.scoped(Effect.gen(function*() {
          const store = yield* opened(engine, directory)
          const exit = yield* Effect.exit(store.write((batch) => {
            batch.put(bytes("a"), bytes("1"))
            try {
              fault(batch)
            } catch {
              batch.put(bytes("c"), bytes("1"))
            }
          }))
          assert.isTrue(Exit.isFailure(exit))
          assert.deepStrictEqual(yield* entriesOf(store, ALL), [])
        }))
        assert.deepStrictEqual(
          yield* Effect.scoped(Effect.flatMap(opened(engine, directory), (store) => entriesOf(store, ALL))),
          []
        )
      }
    }))

  it.effect("takes an empty batch", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      yield* store.write(() => {})
      assert.deepStrictEqual(yield* entriesOf(store, ALL), [])
    }))
}

const refused = <A>(attempt: Effect.Effect<A, StorageError>) =>
  Effect.map(Effect.flip(attempt), ({ operation, part, reason }) => [part, operation, reason])

const snapshots = (engine: Engine): void => {
  it.effect("a snapshot sees the store as it was", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      yield* put(store, { a: "1", b: "1" })
      const before = yield* store.snapshot
      yield* store.write((batch) => {
        batch.put(bytes("a"), bytes("2"))
        batch.remove(bytes("b"))
        batch.put(bytes("c"), bytes("2"))
      })
      const between = yield* store.snapshot
      yield* put(store, { a: "3" })
      const three = ["a", "b", "c"].map(bytes)
      assert.deepStrictEqual((yield* before.getMany(three)).map(textOf), ["1", "1", undefined])
      assert.deepStrictEqual(yield* keysOf(before, ALL), ["a", "b"])
      assert.strictEqual(textOf(yield* between.get(bytes("a"))), "2")
      yield* before.close
      assert.deepStrictEqual((yield* between.getMany(three)).map(textOf), ["2", undefined, "2"])
      assert.strictEqual(textOf(yield* store.get(bytes("a"))), "3")
      yield* between.close
      yield* between.close
    }))

  it.effect("a walk sees the store as it was when it began, whatever is written meanwhile", () =>
    Effect.gen(function*() {
      const store = yield* fresh(engine)
      yield* store.write((batch) => {
        for (let n = 0; n < 4000; n++) batch.put(numbered(n), bytes("old"))
      })
      let seen = 0
      yield* Stream.runForEach(store.range(ALL), (chunk) => {
        seen += chunk.length
        assert.isTrue(chunk.every(([, value]) => textOf(value) === "old"))
        return store.write((batch) => {
          for (let n = 0; n < 4000; n += 2) batch.put(numbered(n), bytes("new"))
          for (let n = 1; n < 4000; n += 2) batch.remove(numbered(n))
        })
      })
      assert.strictEqual(seen, 4000)
      assert.strictEqual((yield* entriesOf(store, ALL)).length, 2000)
    }))

  it.effect("closing the store with a snapshot open is harmless, and both then fail cleanly", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const store = yield* engine.open(directory)
      yield* put(store, { a: "1" })
      const snapshot = yield* store.snapshot
      yield* store.close
      yield* store.close
      const [read, write] = engine.isDurable ? ["read", "write"] : ["use", "use"]
      for (const reader of [store, snapshot]) {
        assert.deepStrictEqual(yield* refused(reader.get(bytes("a"))), ["key-value", read, "io"])
        assert.deepStrictEqual(yield* refused(reader.getMany([bytes("a")])), ["key-value", read, "io"])
        assert.deepStrictEqual(yield* refused(entriesOf(reader, ALL)), ["key-value", read, "io"])
      }
      assert.deepStrictEqual(yield* refused(store.snapshot), ["key-value", read, "io"])
      assert.deepStrictEqual(yield* refused(put(store, { a: "2" })), ["key-value", write, "io"])
      assert.include((yield* Effect.flip(put(store, { a: "2" }))).message, "it is closed")
      yield* snapshot.close
    }))
}

/** What every engine must do. */
export const behaviour = (engine: Engine): void => {
  describe(engine.name, () => {
    reading(engine)
    ranges(engine)
    writing(engine)
    snapshots(engine)

    it.effect.skipIf(!engine.isDurable)("has everything when it is opened again", () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        for (let round = 0; round < 3; round++) {
          yield* Effect.scoped(Effect.gen(function*() {
            const store = yield* opened(engine, directory)
            assert.strictEqual((yield* entriesOf(store, ALL)).length, round)
            yield* put(store, { [`round ${round}`]: String(round) })
            assert.isAbove(yield* store.sizeOnDisk, 0)
            yield* store.examine
            yield* store.flush
          }))
        }
        const store = yield* opened(engine, directory)
        assert.deepStrictEqual((yield* entriesOf(store, ALL)).map(([, value]) => textOf(value)), ["0", "1", "2"])
      }))
  })
}
