import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { EngineCallName } from "../../../src/engine/api/engine-calls.ts"
import { refuseWhenFull } from "../../../src/engine/host/refuse-when-full.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { type EngineStatus, RUNNING } from "../../../src/engine/state/engine-status.ts"

const PAUSED: EngineStatus = { _tag: "Paused", cause: "no space left", after: RUNNING }

const diskFull = (cause: string) => ({ _tag: "DiskFull", cause }) as const

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
  "dumpCoins",
  "generate",
  "invalidateBlock",
  "mempoolEntries",
  "outputs",
  "outputsOfValue",
  "preciousBlock",
  "prioritise",
  "proposeBlock",
  "pruneTo",
  "reconsiderBlock",
  "scanCoins",
  "scriptOutputs",
  "scriptSummary",
  "scriptTransactions",
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
        const result = yield* call(name, Effect.sync(() => (hasRun = true)))
        const failure = Result.isFailure(result) ? result.failure : undefined
        assert.deepStrictEqual([name, failure, hasRun], [name, diskFull("no space left"), false])
      }
      for (const name of WAITING) assert.strictEqual((yield* call(name, Effect.succeed(1)))._tag, "Success", name)
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
      assert.deepStrictEqual(refused[0], Result.fail(diskFull("now it is full")))
      assert.strictEqual(listeners.size, 0)
      resume()
      yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      assert.isTrue(isDone)
    }))

  it.effect("answer as usual while there is room, and leave nothing behind that waits for a full disk", () =>
    Effect.gen(function*() {
      const { call, listeners } = yield* place()
      const found = yield* call("coin", Effect.succeed(7))
      assert.deepStrictEqual(found, Result.succeed(7))
      assert.strictEqual(listeners.size, 0)
      const late = yield* Deferred.make<number>()
      const waiting = yield* Effect.forkChild(call("coin", Deferred.await(late)), { startImmediately: true })
      assert.strictEqual(listeners.size, 1)
      yield* Deferred.succeed(late, 8)
      assert.deepStrictEqual(yield* Fiber.join(waiting), Result.succeed(8))
      assert.strictEqual(listeners.size, 0)
    }))

  it.effect("answer what they found when they are done as the disk gets full, and are refused when they are not", () =>
    Effect.gen(function*() {
      const { call, engine, listeners } = yield* place()
      const fills = Effect.sync(() => void (engine.status = PAUSED))
      assert.deepStrictEqual(yield* call("submitBlock", Effect.as(fills, 7)), Result.succeed(7))
      engine.status = RUNNING
      const refused = yield* call("submitBlock", Effect.andThen(fills, Effect.never))
      assert.deepStrictEqual(refused, Result.fail(diskFull("no space left")))
      assert.strictEqual(listeners.size, 0)
    }))

  it.effect("listen for a full disk no more when the caller has gone", () =>
    Effect.gen(function*() {
      const { call, listeners } = yield* place()
      const waiting = yield* Effect.forkChild(call("coin", Effect.never), { startImmediately: true })
      assert.strictEqual(listeners.size, 1)
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(listeners.size, 0)
    }))

  it.effect("of peers run in the fiber of the caller, and do not listen for a full disk", () =>
    Effect.gen(function*() {
      const { call, listeners } = yield* place()
      const waiting = yield* Effect.forkChild(call("acceptBlock", Effect.never), { startImmediately: true })
      assert.strictEqual(listeners.size, 0)
      yield* Fiber.interrupt(waiting)
    }))
})
