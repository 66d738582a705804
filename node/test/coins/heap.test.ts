import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { makeCoinCache } from "../../src/coins/make-coin-cache.ts"
import type { KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { makeMemoryStore } from "../../src/storage/key-value/memory-store.ts"
import { outPoint, overlayOf, sampleCoin } from "./sample-coins.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const memory = () => {
  // Twice: the first one only queues what hangs on finalizers.
  collect()
  collect()
  return process.memoryUsage()
}

/** Takes everything and keeps nothing. */
const forgetful: KeyValueStore = {
  ...makeMemoryStore(),
  write: (fill) => Effect.sync(() => fill({ put: () => {}, remove: () => {} }))
}

describe("coins in memory", () => {
  it.effect("are not on the heap, neither while they change nor when they are written", () =>
    Effect.gen(function*() {
      const cache = yield* makeCoinCache(forgetful, { dbcacheBytes: 1_000_000_000 })
      const create = (from: number, to: number) => {
        for (let at = from; at < to; at += 5_000) {
          const changes = Array.from({ length: 5_000 }, (_, i) => [outPoint(at + i), sampleCoin(at + i)] as const)
          cache.apply(overlayOf(cache, changes))
        }
      }
      create(0, 50_000)
      yield* forgetful.write(cache.writeChanges)
      cache.committed()
      const before = memory()
      create(50_000, 300_000)
      const changed = memory()
      yield* forgetful.write(cache.writeChanges)
      cache.committed()
      const written = memory()
      assert.isAtLeast(changed.arrayBuffers - before.arrayBuffers, 250_000 * 80)
      assert.isBelow(changed.heapUsed - before.heapUsed, 4_000_000)
      assert.isBelow(written.heapUsed - before.heapUsed, 4_000_000)
      assert.isDefined(cache.coinAt(outPoint(299_999)))
    }))
})
