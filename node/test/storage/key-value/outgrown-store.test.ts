import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineName } from "../../../src/storage/key-value/key-value-store.ts"
import { makeMemoryStore } from "../../../src/storage/key-value/memory-store.ts"
import { outgrownWarning } from "../../../src/storage/key-value/outgrown-store.ts"

const MEBIBYTE = 1_048_576
const GIBIBYTE = 1_024 * MEBIBYTE

const warned = (engine: EngineName, bytes: number, memoryBytes?: number) =>
  outgrownWarning(
    { ...makeMemoryStore(), engine, sizeOnDisk: Effect.succeed(bytes) },
    "/d/store",
    "Do this.",
    memoryBytes
  )

describe("a store of LMDB that memory may not hold", () => {
  it.effect("is warned of above half of the memory, and above 4 GiB whatever memory there is", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* warned("heed3", 301 * MEBIBYTE, 600 * MEBIBYTE), [
        "The store in /d/store is LMDB and has 301 MiB. LMDB becomes many times slower once its file does not fit into " +
        "memory. Do this."
      ])
      assert.deepStrictEqual(yield* warned("heed3", 300 * MEBIBYTE, 600 * MEBIBYTE), [])
      assert.deepStrictEqual(yield* warned("heed3", 4 * GIBIBYTE, 64 * GIBIBYTE), [])
      assert.lengthOf(yield* warned("heed3", 4 * GIBIBYTE + 1, 64 * GIBIBYTE), 1)
    }))

  it.effect("is judged by the memory of this process where nothing else is said", () =>
    Effect.gen(function*() {
      assert.lengthOf(yield* warned("heed3", 4 * GIBIBYTE + 1), 1)
      assert.deepStrictEqual(yield* warned("heed3", MEBIBYTE), [])
    }))

  it.effect("is no matter of LevelDB, nor of a store in memory", () =>
    Effect.gen(function*() {
      for (const engine of ["leveldb", "memory"] as const) {
        assert.deepStrictEqual(yield* warned(engine, 100 * GIBIBYTE, GIBIBYTE), [])
      }
    }))
})
