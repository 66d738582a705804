import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import fc from "fast-check"
import type { Worker } from "node:worker_threads"
import type { ScriptPool as Pool } from "../../../src/engine/script-pool/script-pool.ts"
import { type ScriptPoolOptions, startScriptPool } from "../../../src/engine/script-pool/start-script-pool.ts"
import { spawnScriptWorker } from "../../../src/engine/script-pool/workers.ts"
import { blockOf, FAILING, HOLDING, judgedInOrder, type Sample } from "./sample-jobs.ts"

const started = (options: ScriptPoolOptions) => Effect.acquireRelease(startScriptPool(options), (pool) => pool.close)

/** Pools of one, two and three workers, started once. */
class Pools extends Context.Service<Pools, ReadonlyArray<Pool>>()("test/Pools") {
  static readonly layer = Layer.effect(Pools, Effect.all([1, 2, 3].map((workers) => started({ workers }))))
}

const sample = fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...HOLDING) }, {
  weight: 1,
  arbitrary: fc.constantFrom(...FAILING)
})
const blocks = fc.array(fc.array(sample, { maxLength: 60 }), { minLength: 1, maxLength: 6 })

const shared = (bytes: Uint8Array): Uint8Array => {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

const repeated = (count: number): ReadonlyArray<Sample> =>
  Array.from({ length: count }, (_, i) => HOLDING[i % HOLDING.length]!)

/** A pool whose workers the test can lay hands on. */
const withWorkers = Effect.gen(function*() {
  const workers: Array<Worker> = []
  const pool = yield* started({
    workers: 2,
    spawn: (start) => {
      const worker = spawnScriptWorker(start)
      workers.push(worker)
      return worker
    }
  })
  return { pool, workers }
})

const judge = (pool: Pool, chosen: ReadonlyArray<Sample>) => {
  const { block, collected } = blockOf(chosen)
  return pool.judge(block, collected)
}

/** What is answered of a block whose job at this place is the first that fails. */
const failsAt = ({ failure }: Sample, job: number) => ({ ...failure!, detail: { ...failure!.detail, job } })

const failureOf = <A>(effect: Effect.Effect<A, { readonly _tag: string; readonly message: string }>) =>
  Effect.map(
    Effect.result(effect),
    (result) => Result.isFailure(result) ? result.failure : assert.fail("nothing failed")
  )

layer(Pools.layer)("ScriptPool", (over) => {
  over.effect(
    "any number of workers answers as judging one job after another, several blocks at once",
    () =>
      Effect.gen(function*() {
        const pools = yield* Pools
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(blocks, fc.constantFrom(...pools), fc.boolean(), async (chosen, pool, inShared) => {
              const made = chosen.map((each) => blockOf(each, inShared ? { backed: shared } : {}))
              const underWay = made.map(({ block, collected }) => pool.judge(block, collected))
              const answers = await Effect.runPromise(Effect.all(underWay, { concurrency: "unbounded" }))
              assert.deepStrictEqual(answers, made.map(({ collected }) => judgedInOrder(collected.jobs)))
            }),
            { numRuns: 60 }
          )
        )
      })
  )

  over.effect("starts before a caller waits, and answers all that do", () =>
    Effect.gen(function*() {
      const [, pool] = yield* Pools
      const answer = judge(pool!, [...repeated(50), FAILING[3]!])
      yield* Effect.promise(() => new Promise((resume) => setTimeout(resume, 300)))
      const answers = yield* Effect.all([answer, answer], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, [failsAt(FAILING[3]!, 50), failsAt(FAILING[3]!, 50)])
    }))

  over.effect("goes on with other blocks when no call waits for one any more", () =>
    Effect.gen(function*() {
      for (const pool of yield* Pools) {
        const waiting = yield* Effect.forkChild(judge(pool, repeated(3_000)))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(waiting)
        assert.strictEqual(yield* judge(pool, repeated(20)), undefined)
      }
    }))

  over.effect(
    "goes on with a block for the caller that still waits, when another does not wait any more",
    () =>
      Effect.gen(function*() {
        for (const pool of yield* Pools) {
          const answer = judge(pool, [...repeated(3_000), FAILING[3]!])
          const [leaving, staying] = [yield* Effect.forkChild(answer), yield* Effect.forkChild(answer)]
          yield* Effect.yieldNow
          yield* Fiber.interrupt(leaving)
          assert.deepStrictEqual(yield* Fiber.join(staying), failsAt(FAILING[3]!, 3_000))
        }
      })
  )

  over.effect("a block larger than any before, and one of nothing but a coinbase", () =>
    Effect.gen(function*() {
      for (const pool of yield* Pools) {
        const large = judge(pool, [...repeated(1_500), FAILING[5]!, ...repeated(700)])
        assert.strictEqual(yield* judge(pool, []), undefined)
        assert.deepStrictEqual(yield* large, failsAt(FAILING[5]!, 1_500))
      }
    }))
})

describe("ScriptPool", () => {
  it.live("a worker that dies fails the blocks under way, and another takes its place", () =>
    Effect.gen(function*() {
      const { pool, workers } = yield* withWorkers
      const underWay = [judge(pool, repeated(3_000)), judge(pool, repeated(3_000))]
      yield* Effect.promise(() => workers[0]!.terminate())
      for (const answer of underWay) {
        const { _tag, message } = yield* failureOf(answer)
        assert.strictEqual(_tag, "ScriptPoolFailure")
        assert.include(message, "script worker is gone")
      }
      assert.deepStrictEqual(yield* judge(pool, [...repeated(100), FAILING[0]!]), failsAt(FAILING[0]!, 100))
      assert.strictEqual(workers.length, 3)
      yield* Effect.promise(() => workers[1]!.terminate())
      yield* Effect.promise(() => workers[2]!.terminate())
      assert.strictEqual(yield* Effect.retry(judge(pool, repeated(100)), { times: 2 }), undefined)
      assert.strictEqual(workers.length, 5)
    }).pipe(Effect.scoped))

  it.live("workers that are replaced again and again leave no block without an answer", () =>
    Effect.gen(function*() {
      const { pool, workers } = yield* withWorkers
      let answered = 0
      for (let round = 0; round < 12; round++) {
        const answers = Array.from({ length: 4 }, (_, i) => judge(pool, [...repeated(40 * i + round), FAILING[i]!]))
        if (round % 3 === 0) void workers[workers.length - 1]!.terminate()
        for (const [i, answer] of answers.entries()) {
          const result = yield* Effect.result(answer)
          if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, failsAt(FAILING[i]!, 40 * i + round))
          answered++
        }
      }
      assert.strictEqual(answered, 48)
    }).pipe(Effect.scoped))

  it.live("an exception in a worker is its block's defect and no other's", () =>
    Effect.gen(function*() {
      const { pool } = yield* withWorkers
      const { block, collected } = blockOf(repeated(1))
      const broken = pool.judge(block, { ...collected, jobs: collected.jobs.map((job) => ({ ...job, coins: [] })) })
      const fine = judge(pool, repeated(200))
      assert.include((yield* failureOf(broken)).message, "defect")
      assert.strictEqual(yield* fine, undefined)
    }).pipe(Effect.scoped))

  it.live("takes a block whose coins have more than 32 MiB of scripts, whatever their length", () =>
    Effect.gen(function*() {
      const pool = yield* started({ workers: 2 })
      // Nearly 10,000 bytes that hold: pushes that are dropped, and one at the end.
      const dropped = Buffer.concat([Buffer.from("4d0802", "hex"), Buffer.alloc(520), Buffer.from("75", "hex")])
      const script = new Uint8Array(Buffer.concat([...Array.from({ length: 19 }, () => dropped), Buffer.of(0x51)]))
      const spending = HOLDING.map(({ bytes, coins }) => ({ bytes, coins: coins.map((coin) => ({ ...coin, script })) }))
        .find(({ bytes, coins }) => {
          const { collected } = blockOf([{ bytes, coins, failure: undefined }])
          return judgedInOrder(collected.jobs) === undefined
        })!
      for (const more of [0, 1]) {
        const last = { ...spending.coins[0]!, script: new Uint8Array([...new Uint8Array(more).fill(0x51), ...script]) }
        const jobs: Array<Sample> = Array.from({ length: 3_500 }, () => ({ ...spending, failure: undefined }))
        jobs.push({ bytes: spending.bytes, coins: [last], failure: undefined })
        assert.strictEqual(yield* judge(pool, jobs), undefined)
      }
    }).pipe(Effect.scoped))

  it.live("says why it cannot start", () =>
    Effect.gen(function*() {
      const { _tag, message } = yield* failureOf(startScriptPool({ workers: 2, provider: "abacus" }))
      assert.strictEqual(_tag, "ScriptPoolFailure")
      assert.include(message, "abacus")
    }))

  it.live("has as many workers as asked for, and gives up after three in a row that do not start", () =>
    Effect.gen(function*() {
      const workers: Array<Worker> = []
      let isBroken = false
      const pool = yield* started({
        workers: 2,
        spawn: (start) => {
          const worker = spawnScriptWorker(isBroken ? { ...start, provider: "abacus" } : start)
          workers.push(worker)
          return worker
        }
      })
      assert.lengthOf(workers, 2)
      const ends = (worker: Worker) => new Promise((resume) => worker.once("exit", resume))
      isBroken = true
      yield* Effect.promise(() => workers[0]!.terminate())
      while (workers.length < 5) yield* Effect.sleep(10)
      yield* Effect.promise(() => ends(workers[4]!))
      assert.strictEqual(yield* judge(pool, repeated(20)), undefined, "the other one is still there")
      yield* Effect.promise(() => workers[1]!.terminate())
      const refused = yield* failureOf(Effect.repeat(judge(pool, repeated(20)), { times: 5 }))
      assert.include(refused.message, "A script worker is gone")
      assert.lengthOf(workers, 5)
    }).pipe(Effect.scoped))

  it.live("closed, it answers what is under way and what comes with a failure, and its workers end", () =>
    Effect.gen(function*() {
      const { pool, workers } = yield* withWorkers
      let ended = 0
      for (const worker of workers) worker.on("exit", () => ended++)
      const underWay = judge(pool, repeated(3_000))
      yield* pool.close
      assert.strictEqual(ended, 2)
      assert.include((yield* failureOf(underWay)).message, "stopped")
      assert.include((yield* failureOf(judge(pool, repeated(1)))).message, "stopped")
    }).pipe(Effect.scoped))

  it.live("names the crypto its workers run on", () =>
    Effect.gen(function*() {
      const pool = yield* started({ workers: 1, provider: "noble" })
      assert.strictEqual(pool.workers, 1)
      assert.include(pool.provider, "noble")
      assert.deepStrictEqual(yield* judge(pool, [...repeated(30), FAILING[1]!]), failsAt(FAILING[1]!, 30))
    }).pipe(Effect.scoped))
})
