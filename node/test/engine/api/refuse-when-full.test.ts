import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineCallName } from "../../../src/engine/api/engine-calls.ts"
import { refuseWhenFull } from "../../../src/engine/api/refuse-when-full.ts"
import type { ChainEngine } from "../../../src/engine/chain-engine.ts"
import { type EngineStatus, RUNNING } from "../../../src/engine/chainstate/engine-status.ts"

const PAUSED: EngineStatus = { _tag: "Paused", cause: "no space left", after: RUNNING }

const place = (status: EngineStatus = RUNNING) =>
  Effect.gen(function*() {
    const listeners = new Set<(cause: string) => void>()
    const engine = { status, pauseListeners: listeners }
    const scope = yield* Effect.scope
    const call = <A>(name: EngineCallName, work: Effect.Effect<A>) =>
      Effect.result(refuseWhenFull(engine as unknown as ChainEngine, scope, name, work))
    return { call, engine, listeners }
  })

const REFUSED = [
  "blockTemplate",
  "coin",
  "coinBlock",
  "generate",
  "invalidateBlock",
  "mempoolEntries",
  "outputs",
  "preciousBlock",
  "prioritise",
  "proposeBlock",
  "pruneTo",
  "reconsiderBlock",
  "scanCoins",
  "setMockTime",
  "setStatistics",
  "submitBlock",
  "submitHeader",
  "verifyChain"
] as const

const WAITING = ["acceptBlock", "acceptHeaders", "blockFacts", "chainTips", "close", "flush", "figures"] as const

describe("calls while the disk is full", () => {
  it.effect("are refused when clients should not wait for room, and run when blocks of peers or files do", () =>
    Effect.gen(function*() {
      const { call } = yield* place(PAUSED)
      for (const name of REFUSED) {
        let hasRun = false
        const { _tag } = yield* call(name, Effect.sync(() => (hasRun = true)))
        assert.deepStrictEqual([name, _tag, hasRun], [name, "Failure", false])
      }
      for (const name of WAITING) assert.strictEqual((yield* call(name, Effect.succeed(1)))._tag, "Success", name)
      const refused = yield* call("coin", Effect.void)
      assert.deepStrictEqual(refused._tag === "Failure" && refused.failure, {
        _tag: "DiskFull",
        cause: "no space left"
      })
    }))

  it.effect("are refused when the disk gets full meanwhile, and what they began goes on", () =>
    Effect.gen(function*() {
      const { call, listeners } = yield* place()
      let resume = (): void => undefined
      let isDone = false
      const work = Effect.andThen(
        Effect.callback<void>((done) => {
          resume = () => done(Effect.void)
        }),
        Effect.sync(() => void (isDone = true))
      )
      const refused = yield* Effect.all([
        call("generate", work),
        Effect.sync(() => {
          assert.strictEqual(listeners.size, 1)
          for (const listener of listeners) listener("now it is full")
        })
      ], { concurrency: 2 })
      assert.deepInclude(refused[0], { _tag: "Failure" })
      assert.strictEqual(listeners.size, 0)
      resume()
      yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      assert.isTrue(isDone)
    }))

  it.effect("answer as usual while there is room, and leave nothing behind that waits for a full disk", () =>
    Effect.gen(function*() {
      const { call, listeners } = yield* place()
      const found = yield* call("coin", Effect.succeed(7))
      assert.deepStrictEqual(found._tag === "Success" && found.success, 7)
      assert.strictEqual(listeners.size, 0)
    }))
})
