import { assert, describe, it } from "@effect/vitest"
import { violation } from "@lockstep/kernel/verdict"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Worker } from "node:worker_threads"
import { vi } from "vitest"
import { reportDefect, reportFailure } from "../../../src/engine/script-pool/job-failure.ts"
import {
  claimRange,
  finishRanges,
  type JobMemory,
  jobMemory,
  Word
} from "../../../src/engine/script-pool/job-memory.ts"
import { startScriptPool } from "../../../src/engine/script-pool/start-script-pool.ts"
import { blockOf, FAILING, HOLDING } from "./sample-jobs.ts"
import { READY, ScriptedWorker } from "./scripted-worker.ts"

const repeated = (count: number) => Array.from({ length: count }, (_, i) => HOLDING[i % HOLDING.length]!)

/** A pool of workers that do nothing by themselves. */
const withIdleWorkers = Effect.fnUntraced(function*(workerCount: number) {
  const workers: Array<ScriptedWorker> = []
  const pool = yield* startScriptPool({
    workers: workerCount,
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
  return { pool, judge, memories, worker: workers[0]!, workers }
})

const withIdleWorker = withIdleWorkers(1)

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

const waiting = <A, E>(answer: Effect.Effect<A, E>) => Effect.forkChild(answer, { startImmediately: true })

describe("the verdict on the scripts of a block", () => {
  it.effect("is the earliest failure that workers found in its memory, the same for all that wait and for later ones", () =>
    Effect.gen(function*() {
      const { judge, memories, worker } = yield* withIdleWorker
      const answer = judge(3)
      const both = [yield* waiting(answer), yield* waiting(answer)]
      const [memory] = memories()
      const { failure } = FAILING[0]!
      reportFailure(memory!, 2, violation(failure!.rule, { error: failure!.detail.error, input: 0 }))
      worker.say({ _tag: "Finished" })
      assert.deepStrictEqual(both.map((each) => each.pollUnsafe()), [undefined, undefined], "ranges are left")
      finish(memory!)
      worker.say({ _tag: "Finished" })
      const expected = { ...failure!, detail: { ...failure!.detail, job: 2 } }
      for (const each of both) assert.deepStrictEqual(yield* Fiber.join(each), expected)
      assert.deepStrictEqual(yield* answer, expected)
    }))

  it.effect("is known at once without a job, and needs no memory", () =>
    Effect.gen(function*() {
      const { judge, memories, pool } = yield* withIdleWorker
      assert.isUndefined(yield* judge(0))
      assert.deepStrictEqual([memories(), pool.workers, pool.provider], [[], 1, "quick"])
    }))

  it.effect("is given up when the last one of those that wait has gone, and not before", () =>
    Effect.gen(function*() {
      const { judge, memories, worker } = yield* withIdleWorker
      const answer = judge(3)
      const [leaving, staying] = [yield* waiting(answer), yield* waiting(answer)]
      const [memory] = memories()
      const { [Word.TO_CLAIM]: ranges } = memory!.words
      yield* Fiber.interrupt(leaving)
      assert.deepStrictEqual([ranges! > 0, memory!.words[Word.TO_CLAIM]], [true, ranges])
      assert.strictEqual(claimRange(memory!), 0)
      yield* Fiber.interrupt(staying)
      assert.deepStrictEqual([memory!.words[Word.TO_CLAIM], isRetired(memory!)], [0, false])
      const next = judge(3)
      assert.lengthOf(memories(), 2, "a worker still reads in the first one")
      finishRanges(memory!, 1)
      worker.say({ _tag: "Finished" })
      const third = judge(3)
      assert.lengthOf(memories(), 2)
      for (const each of memories()) finish(each)
      worker.say({ _tag: "Finished" })
      assert.deepStrictEqual([yield* next, yield* third], [undefined, undefined])
    }))

  it.effect("fails for all blocks under way when a worker dies, which says why, and another takes its place", () =>
    Effect.gen(function*() {
      const { judge, memories, worker, workers } = yield* withIdleWorker
      const answers = [judge(3), judge(3)]
      worker.emit("exit")
      const gone = "A script worker is gone: it ended by itself."
      for (const each of answers) assert.strictEqual(yield* messageOf(each), gone)
      assert.deepStrictEqual(memories().map(isRetired), [true, true])
      for (let i = 1; i < 3; i++) {
        assert.lengthOf(workers, i + 1)
        const later = judge(3)
        workers[i]!.emit("error", new Error(`out of memory ${i}`))
        workers[i]!.emit("exit")
        assert.strictEqual(yield* messageOf(later), `A script worker is gone: out of memory ${i}.`)
      }
    }))

  it.effect("is worked at by as many workers as there are ranges, for each block with the next number", () =>
    Effect.gen(function*() {
      const { judge, memories } = yield* withIdleWorkers(3)
      const notify = vi.spyOn(Atomics, "notify")
      for (const count of [1, 3, 200]) judge(count)
      assert.deepStrictEqual(notify.mock.calls.map(([, , sleepers]) => sleepers), [1, 1, 3])
      notify.mockRestore()
      assert.deepStrictEqual(memories().map(orderOf), [1, 2, 3])
    }))
})
