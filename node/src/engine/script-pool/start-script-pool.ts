import * as Effect from "effect/Effect"
import { failureIn, hasDefect } from "./job-failure.ts"
import { cancelRanges, isFinished, type JobMemory } from "./job-memory.ts"
import { rangesOf } from "./job-ranges.ts"
import { type JobPlan, planLength, writePlan } from "./job-writer.ts"
import { bufferPool } from "./shared-buffer-pool.ts"
import type { JobFailure, ScriptPool, ScriptPoolFailure } from "./script-pool.ts"
import { type SpawnWorker, spawnScriptWorker, startWorkers } from "./workers.ts"

export interface ScriptPoolOptions {
  /** At least 1. */
  readonly workers: number
  /** Name of a crypto provider; the fastest available by default. */
  readonly provider?: string
  /** Starts a worker; a test may replace it. */
  readonly spawn?: SpawnWorker
}

type Answer = Effect.Effect<JobFailure | undefined, ScriptPoolFailure>

/** A block whose scripts are being verified. */
interface Task {
  readonly order: number
  readonly memory: JobMemory
  /** Set as soon as the verdict on the block is known. */
  answer: Answer | undefined
  readonly waiting: Set<(answer: Answer) => void>
}

const NO_FAILURE: Answer = Effect.succeed(undefined)

const failed = (message: string): Answer => Effect.fail({ _tag: "ScriptPoolFailure", message })

const settle = (task: Task, answer: Answer): void => {
  task.answer = answer
  for (const resume of task.waiting) resume(answer)
}

const waitFor = (task: Task, abandon: () => void): Answer =>
  Effect.callback((resume) => {
    if (task.answer !== undefined) return resume(task.answer)
    task.waiting.add(resume)
    return Effect.sync(() => {
      task.waiting.delete(resume)
      if (task.waiting.size === 0 && task.answer === undefined) abandon()
    })
  })

/** Starts the workers. Yields the pool once all of them are ready. */
export const startScriptPool = Effect.fnUntraced(
  function*({ provider, spawn = spawnScriptWorker, workers }: ScriptPoolOptions) {
    const tasks = new Set<Task>()
    let order = 0
    let refusal: string | undefined

    const memories = bufferPool((memory) => crew.share(memory.buffer))

    const sweep = (): void => {
      for (const task of tasks) {
        // The report of an internal error arrives separately and ends the task.
        if (!isFinished(task.memory) || hasDefect(task.memory)) continue
        tasks.delete(task)
        memories.releaseBuffers(task.memory)
        settle(task, Effect.succeed(failureIn(task.memory)))
      }
    }

    const fail = (task: Task, message: string): void => {
      tasks.delete(task)
      memories.drop(task.memory)
      settle(task, failed(message))
    }

    const crew = yield* startWorkers({
      count: workers,
      provider,
      spawn,
      memories: () => memories.free().map(({ buffer }) => buffer),
      onFinished: sweep,
      onDefect: (number, message) => {
        for (const task of tasks) if (task.order === number) fail(task, `A script worker met a defect: ${message}`)
      },
      onDeath: (message) => {
        for (const task of tasks) fail(task, message)
      },
      onLastDeath: (message) => {
        refusal = message
      }
    })

    const abandon = (task: Task): void => {
      if (cancelRanges(task.memory)) sweep()
    }

    const start = (plan: JobPlan): Answer => {
      if (refusal !== undefined) return failed(refusal)
      const memory = memories.take(planLength(plan))
      order = order + 1 | 0
      const task: Task = { order, memory, answer: undefined, waiting: new Set() }
      tasks.add(task)
      writePlan(memory, plan, order)
      crew.wake(plan.starts.length - 1)
      return waitFor(task, () => abandon(task))
    }

    const pool: ScriptPool = {
      workers,
      provider: crew.provider,
      judge: (block, { jobs }) =>
        jobs.length === 0 ? NO_FAILURE : start({ block, jobs, starts: rangesOf(jobs, workers) }),
      close: Effect.suspend(() => {
        refusal = "The script workers were stopped."
        for (const task of tasks) fail(task, refusal)
        return crew.stop
      })
    }
    return pool
  }
)
