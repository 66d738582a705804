import { assert, describe, it } from "@effect/vitest"
import type { IpcError, ResponsePayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ModuleContext } from "../../src/modules/api/module-context.ts"
import { moduleStorage } from "../../src/modules/api/module-storage.ts"
import { STORAGE_REQUESTS } from "../../src/modules/api/storage-requests.ts"
import { MAX_KEY_SIZE } from "../../src/storage/key-value/key-limits.ts"

const MEBIBYTE = 1024 * 1024
const MAX_STORAGE_BYTES = 1_073_741_824

const key = (...bytes: ReadonlyArray<number>): Uint8Array => Uint8Array.from(bytes)
const numbered = (count: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: count }, (_, i) => key(1, i >> 8, i & 0xff))

/** What a module asks of its database; `size`: what that takes on disk. */
const database = Effect.gen(function*() {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "lsm-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const store = yield* Effect.flatMap(Effect.scope, (scope) => moduleStorage(scope, directory))
  const disk = { size: 0 }
  const measured = { ...store, sizeOnDisk: Effect.sync(() => disk.size) }
  const context = { module: { storage: Effect.succeed(measured) } } as unknown as ModuleContext
  const { ClearStorage, ListStorage, ReadStorage, WriteStorage } = STORAGE_REQUESTS
  const read = (...keys: ReadonlyArray<Uint8Array>) =>
    Effect.map(
      ReadStorage(context, { _tag: "ReadStorage", keys }) as Effect.Effect<ResponsePayload, IpcError>,
      (answer) => (answer as { readonly value: ReadonlyArray<Uint8Array | undefined> }).value
    )
  const write = (puts: ReadonlyArray<readonly [Uint8Array, Uint8Array]>, removals: ReadonlyArray<Uint8Array> = []) =>
    WriteStorage(context, {
      _tag: "WriteStorage",
      puts: puts.map(([each, value]) => ({ key: each, value })),
      removals
    } as never) as Effect.Effect<ResponsePayload, IpcError>
  const list = (limit: number, options: { from?: Uint8Array; to?: Uint8Array; reverse?: boolean } = {}) =>
    Effect.map(
      ListStorage(
        context,
        {
          _tag: "ListStorage",
          from: options.from ?? key(),
          to: options.to,
          limit,
          reverse: options.reverse ?? false
        } as never
      ) as Effect.Effect<ResponsePayload, IpcError>,
      (answer) =>
        (answer as { readonly value: ReadonlyArray<{ readonly key: Uint8Array }> }).value.map((each) => [...each.key])
    )
  const clear = ClearStorage(context, { _tag: "ClearStorage" }) as Effect.Effect<ResponsePayload, IpcError>
  return { clear, disk, list, read, write }
})

/** What a request is refused with. */
const refusal = <A>(asked: Effect.Effect<A, IpcError>) =>
  Effect.map(Effect.flip(asked), ({ kind, text }) => `${kind ?? ""} ${text}`)

describe("a module's requests to its database", () => {
  it.live("write and remove in one batch, and read what there is in the order of the keys asked for", () =>
    Effect.scoped(Effect.gen(function*() {
      const { read, write } = yield* database
      yield* write([[key(1), key(11)], [key(2), key(22)]])
      yield* write([[key(3), key(33)]], [key(1)])
      const found = yield* read(key(3), key(1), key(2))
      assert.deepStrictEqual(found.map((each) => each && [...each]), [[33], undefined, [22]])
    })))

  it.live("have up to 1,024 keys, of 1 byte to the longest that a store takes", () =>
    Effect.scoped(Effect.gen(function*() {
      const { read, write } = yield* database
      const keys = numbered(1_025)
      yield* write(keys.slice(0, 1_000).map((each) => [each, each]), keys.slice(1_000, 1_024))
      assert.include(
        yield* refusal(write(keys.slice(0, 1_000).map((each) => [each, each]), keys.slice(1_000))),
        "ResourceExhausted a request has up to 1024 keys"
      )
      assert.lengthOf(yield* read(...keys.slice(0, 1_024)), 1_024)
      assert.include(yield* refusal(read(...keys)), "up to 1024 keys")
      const longest = new Uint8Array(MAX_KEY_SIZE).fill(7)
      yield* write([[longest, key(1)]])
      assert.isDefined((yield* read(longest))[0])
      for (const bad of [key(), new Uint8Array(MAX_KEY_SIZE + 1)]) {
        const message = `a key has 1 to ${MAX_KEY_SIZE} bytes`
        for (const asked of [read(bad), write([[bad, key(1)]]), write([], [bad])]) {
          assert.include(yield* refusal(asked as Effect.Effect<unknown, IpcError>), message)
        }
      }
    })))

  it.live("read up to 8 MiB of values at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { read, write } = yield* database
      for (let i = 0; i < 8; i++) yield* write([[key(1, i), new Uint8Array(MEBIBYTE)]])
      yield* write([[key(2), key(1)]])
      const whole = Array.from({ length: 8 }, (_, i) => key(1, i))
      assert.lengthOf(yield* read(...whole), 8)
      assert.include(
        yield* refusal(read(...whole, key(2))),
        `ResourceExhausted the values have more than ${8 * MEBIBYTE}`
      )
    })))

  it.live("list entries between two keys, from either end, as many as are asked for and at most 1,024", () =>
    Effect.scoped(Effect.gen(function*() {
      const { list, write } = yield* database
      for (const n of [1, 2, 3, 4]) yield* write([[key(n), key(n)]])
      assert.deepStrictEqual(yield* list(10), [[1], [2], [3], [4]])
      assert.deepStrictEqual(yield* list(2), [[1], [2]])
      assert.deepStrictEqual(yield* list(1, { reverse: true }), [[4]])
      assert.deepStrictEqual(yield* list(10, { from: key(2), to: key(4) }), [[2], [3]])
      assert.deepStrictEqual(yield* list(10, { from: key(2), to: key(4), reverse: true }), [[3], [2]])
      for (const limit of [0, -1]) assert.include(yield* refusal(list(limit)), "limit must be at least 1")
      for (
        const bad of [{ from: new Uint8Array(MAX_KEY_SIZE + 1) }, { to: key() }, {
          to: new Uint8Array(MAX_KEY_SIZE + 1)
        }]
      ) {
        assert.include(yield* refusal(list(1, bad)), `a key has 1 to ${MAX_KEY_SIZE} bytes`)
      }
      const many = numbered(1_030)
      yield* write(many.slice(0, 1_000).map((each) => [each, key(1)]))
      yield* write(many.slice(1_000).map((each) => [each, key(1)]))
      assert.lengthOf(yield* list(5_000), 1_024)
    })))

  it.live("list entries up to 8 MiB, and one that is longer alone", () =>
    Effect.scoped(Effect.gen(function*() {
      const { list, write } = yield* database
      for (let i = 1; i <= 5; i++) yield* write([[key(i), new Uint8Array(2 * MEBIBYTE)]])
      assert.lengthOf(yield* list(10), 4)
      yield* write([[key(0), new Uint8Array(9 * MEBIBYTE)]])
      assert.deepStrictEqual(yield* list(10), [[0]])
    })))

  it.live("put nothing more into a database beyond its limit, and still remove", () =>
    Effect.scoped(Effect.gen(function*() {
      const { disk, read, write } = yield* database
      yield* write([[key(1), key(1)], [key(2), key(2)]])
      disk.size = MAX_STORAGE_BYTES
      yield* write([[key(3), key(3)]])
      disk.size = MAX_STORAGE_BYTES + 1
      assert.include(yield* refusal(write([[key(4), key(4)]], [key(1)])), `more than ${MAX_STORAGE_BYTES} bytes`)
      assert.isDefined((yield* read(key(1)))[0])
      yield* write([], [key(1)])
      assert.isUndefined((yield* read(key(1)))[0])
    })))

  it.live("clear all of it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { clear, list, write } = yield* database
      const many = numbered(1_500)
      yield* write(many.slice(0, 1_000).map((each) => [each, key(1)]))
      yield* write(many.slice(1_000).map((each) => [each, key(1)]))
      yield* write([[key(0xff, 0xff), key(1)], [key(0), key(1)]])
      yield* clear
      assert.deepStrictEqual(yield* list(10), [])
    })))
})
