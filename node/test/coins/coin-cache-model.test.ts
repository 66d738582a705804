import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import type { KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { LEVELDB, LMDB, MEMORY } from "../storage/key-value/engines.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { follow, steps } from "./coin-model.ts"

const SEED = Number(process.env.LOCKSTEP_SEED ?? Date.now()) | 0

/** No coin stays longer than it must; the filter of transactions does not fit; everything fits. */
const BUDGETS = [0, 200_000, 8_000_000]

describe.each([{ ...MEMORY, runs: 300 }, { ...LMDB, runs: 12 }, { ...LEVELDB, runs: 12 }])(
  "on $name",
  ({ open, runs }) => {
    it.effect("the cache is what a map would be, whatever happens to it", () =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(steps, fc.constantFrom(...BUDGETS), fc.integer(), (given, dbcacheBytes, seed) =>
            Effect.runPromise(Effect.scoped(Effect.gen(function*() {
              const directory = yield* temporaryDirectory
              const opened: Effect.Effect<KeyValueStore> = Effect.orDie(open(directory))
              yield* follow(opened, given, { dbcacheBytes, seed })
            })))),
          { seed: SEED, numRuns: runs }
        )
      ))
  }
)
