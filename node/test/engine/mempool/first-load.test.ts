import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { LoadingParts } from "../../../src/engine/mempool/load-mempool.ts"
import { mempoolPersistence } from "../../../src/engine/mempool/mempool-persistence.ts"

/** Parts of an engine in which nothing that is begun ever ends. */
const partsWith = (loadingBlocks: boolean): LoadingParts => {
  const options = { directory: "nowhere", mempool: { file: undefined } }
  const engine = { options, status: { _tag: "Running" }, loadingBlocks }
  return { context: { engine, settings: { persists: true } } } as unknown as LoadingParts
}

describe("the load of the mempool at the start", () => {
  it.effect("is waited for a second, and not at all while blocks of files are being accepted", () =>
    Effect.gen(function*() {
      for (const loadingBlocks of [true, false]) {
        let begun = 0
        const { first, isLoaded } = yield* mempoolPersistence(partsWith(loadingBlocks), { start: () => void begun++ })
        const starting = yield* Effect.forkChild(first, { startImmediately: true })
        yield* TestClock.adjust(999)
        assert.strictEqual(starting.pollUnsafe() !== undefined, loadingBlocks)
        yield* TestClock.adjust(1)
        yield* Fiber.join(starting)
        assert.deepStrictEqual([begun, isLoaded()], [1, false])
      }
    }))

  it.effect("that has not ended keeps what the last run saved: nothing is saved over it, now or at the end", () =>
    Effect.gen(function*() {
      const written: Array<string> = []
      const { context, ...others } = partsWith(true)
      const disk = { replaceFile: (path: string) => Effect.sync(() => void written.push(path)) }
      const parts = {
        ...others,
        context: { ...context, engine: { ...context.engine, disk } }
      } as unknown as LoadingParts
      yield* Effect.scoped(Effect.gen(function*() {
        const { handlers } = yield* mempoolPersistence(parts, { start: () => {} })
        const refused = yield* Effect.flip(handlers.saveMempool(undefined))
        assert.deepStrictEqual(refused, { _tag: "MempoolNotLoaded" })
      }))
      assert.deepStrictEqual(written, [])
    }))
})
