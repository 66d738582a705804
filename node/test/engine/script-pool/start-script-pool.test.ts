import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Worker } from "node:worker_threads"
import { reportDefect } from "../../../src/engine/script-pool/job-failure.ts"
import {
  claimRange,
  finishRanges,
  type JobMemory,
  jobMemory,
  Word
} from "../../../src/engine/script-pool/job-memory.ts"
import { startScriptPool } from "../../../src/engine/script-pool/start-script-pool.ts"
import { blockOf, HOLDING } from "./sample-jobs.ts"
import { READY, ScriptedWorker } from "./scripted-worker.ts"

const repeated = (count: number) => Array.from({ length: count }, (_, i) => HOLDING[i % HOLDING.length]!)

/** A pool of one worker, which does nothing by itself. */
const withIdleWorker = Effect.gen(function*() {
  const workers: Array<ScriptedWorker> = []
  const pool = yield* startScriptPool({
    workers: 1,
    spawn: (start) => {
      const worker = new ScriptedWorker(start)
      workers.push(worker)
      queueMicrotask(() => worker.say(READY))
      return worker as unknown as Worker
    }
  })
  const judge = (count: number) => {
    const { block, collected } = blockOf(repeated(count))
    return pool.judge(block, collected)
  }
  /** The memories that the worker has been sent. */
  const memories = (): ReadonlyArray<JobMemory> =>
    workers[0]!.posted.map((buffer) => jobMemory(buffer as SharedArrayBuffer))
  return { pool, judge, memories, worker: workers[0]! }
})

const orderOf = ({ words }: JobMemory): number => words[Word.ORDER]!

const isRetired = ({ words }: JobMemory): boolean => words[Word.RETIRED] === 1 && words[Word.TO_CLAIM] === 0

/** What a worker does with the ranges of a block that holds. */
const finish = (memory: JobMemory): void => {
  while (claimRange(memory) >= 0) finishRanges(memory, 1)
}

const messageOf = <A>(answer: Effect.Effect<A, { readonly message: string }>) =>
  Effect.map(Effect.result(answer), (result) => Result.isFailure(result) ? result.failure.message : "none")

describe("the memory of a block whose scripts are verified", () => {
  it.effect("is used for the next block once all its ranges are finished", () =>
    Effect.gen(function*() {
      const { judge, memories, worker } = yield* withIdleWorker
      const first = judge(3)
      const [memory] = memories()
      finish(memory!)
      worker.say({ _tag: "Finished" })
      assert.isUndefined(yield* first)
      const order = orderOf(memory!)
      const second = judge(4)
      assert.lengthOf(memories(), 1)
      assert.strictEqual(orderOf(memory!), order + 1)
      assert.isFalse(isRetired(memory!))
      finish(memory!)
      worker.say({ _tag: "Finished" })
      assert.isUndefined(yield* second)
    }))

  it.effect("is never used again after a defect: no range of it is taken, and other blocks go on", () =>
    Effect.gen(function*() {
      const { judge, memories, worker } = yield* withIdleWorker
      const [broken, fine] = [judge(3), judge(3)]
      const [bad, good] = memories()
      reportDefect(bad!)
      finish(bad!)
      worker.say({ _tag: "Finished" })
      worker.say({ _tag: "Defect", order: orderOf(bad!), message: "out of cheese" })
      assert.strictEqual(yield* messageOf(broken), "A script worker met a defect: out of cheese")
      assert.deepStrictEqual([isRetired(bad!), isRetired(good!)], [true, false])
      finish(good!)
      worker.say({ _tag: "Finished" })
      assert.isUndefined(yield* fine)
      const third = judge(3)
      assert.lengthOf(memories(), 2)
      assert.isAbove(good!.words[Word.TO_CLAIM]!, 0)
      finish(good!)
      worker.say({ _tag: "Finished" })
      assert.isUndefined(yield* third)
    }))

  it.effect("has no more ranges taken when no call waits for the verdict, and is used again", () =>
    Effect.gen(function*() {
      const { judge, memories, worker } = yield* withIdleWorker
      const waiting = yield* Effect.forkChild(judge(3), { startImmediately: true })
      const [memory] = memories()
      assert.isAbove(memory!.words[Word.TO_CLAIM]!, 0)
      yield* Fiber.interrupt(waiting)
      assert.isBelow(claimRange(memory!), 0)
      const next = judge(3)
      assert.lengthOf(memories(), 1)
      finish(memory!)
      worker.say({ _tag: "Finished" })
      assert.isUndefined(yield* next)
    }))

  it.effect("is left alone when all workers are gone: blocks under way and later ones fail", () =>
    Effect.gen(function*() {
      const { judge, memories, pool, worker } = yield* withIdleWorker
      const underWay = judge(3)
      const closing = yield* Effect.forkChild(pool.close, { startImmediately: true })
      worker.emit("exit")
      yield* Fiber.join(closing)
      assert.isTrue(isRetired(memories()[0]!))
      assert.strictEqual(yield* messageOf(underWay), "The script workers were stopped.")
      assert.strictEqual(yield* messageOf(judge(1)), "The script workers were stopped.")
      assert.lengthOf(memories(), 1)
    }))
})
