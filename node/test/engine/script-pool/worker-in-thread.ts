import { MessageChannel, receiveMessageOnPort } from "node:worker_threads"
import { vi } from "vitest"
import { type JobMemory, jobMemory, Word } from "../../../src/engine/script-pool/job-memory.ts"
import { rangesOf, type RangeStarts } from "../../../src/engine/script-pool/job-ranges.ts"
import { planLength, writePlan } from "../../../src/engine/script-pool/job-writer.ts"
import { runScriptWorker } from "../../../src/engine/script-pool/run-script-worker.ts"
import { Control } from "../../../src/engine/script-pool/worker-messages.ts"
import { blockOf, type Sample } from "./sample-jobs.ts"

/** A worker that looks at shared words more often than this does not go to sleep where it should. */
const MOST_LOOKS = 20_000

/** The words that the pool shares with its worker; the signal is not 0 from the start. */
const controlWords = (): Int32Array<SharedArrayBuffer> => {
  const control = new Int32Array(new SharedArrayBuffer(4 * Control.SIZE))
  control[Control.SIGNAL] = 41
  return control
}

/** What the other threads do at the moments at which a worker can notice it. */
export interface Others {
  /** While the worker sleeps for the first time, the second time and so on; after the last it is stopped. */
  readonly asleep?: ReadonlyArray<() => void>
  /** When the worker has claimed a range; `left` is how many are left of that block. */
  readonly claimed?: (order: number, left: number) => void
  /** When the worker has read a word of shared memory. */
  readonly read?: (words: unknown, at: number) => void
}

/**
 * The loop of a script worker in this thread: what happens while it sleeps, or between two of its steps, happens when
 * the test says so.
 */
export const workerInThread = (provider?: string) => {
  const { port1, port2 } = new MessageChannel()
  const control = controlWords()
  const claims: Array<readonly [order: number, left: number]> = []
  const sleeps: Array<ReadonlyArray<unknown>> = []

  const heard = (): ReadonlyArray<unknown> => {
    const messages: Array<unknown> = []
    for (let next = receiveMessageOnPort(port1); next !== undefined; next = receiveMessageOnPort(port1)) {
      messages.push(next.message)
    }
    return messages
  }

  const run = ({ asleep = [], claimed, read }: Others = {}): void => {
    const { compareExchange, load } = Atomics
    let looks = 0
    vi.spyOn(Atomics, "load").mockImplementation(
      ((words: Int32Array, at: number) => {
        if (++looks > MOST_LOOKS) throw new Error("the worker does not go to sleep")
        const value = load(words, at)
        read?.(words, at)
        return value
      }) as never
    )
    vi.spyOn(Atomics, "compareExchange").mockImplementation(
      ((words: Int32Array, at: number, from: number, to: number) => {
        const seen = compareExchange(words, at, from, to)
        if (words instanceof Int32Array && at === Word.TO_CLAIM && seen === from) {
          claims.push([words[Word.ORDER]!, to])
          claimed?.(words[Word.ORDER]!, to)
        }
        return seen
      }) as never
    )
    vi.spyOn(Atomics, "wait").mockImplementation((...how) => {
      const [words, ...at]: ReadonlyArray<unknown> = how
      sleeps.push([words === control, ...at])
      const happen = asleep[sleeps.length - 1]
      if (happen === undefined) control[Control.STOP] = 1
      else happen()
      return "ok"
    })
    try {
      runScriptWorker(port2, { control, provider })
    } finally {
      vi.restoreAllMocks()
      port2.close()
    }
  }

  return {
    control,
    /** The ranges that it claimed: the order number of the block, and how many were left. */
    claims,
    /** What it slept on: whether that are the words of the pool, which of them, and at which value. */
    sleeps,
    share: (memory: JobMemory) => port1.postMessage(memory.buffer),
    /** Its messages since this was asked before. */
    heard,
    run
  }
}

/** A block in memory of its own. */
export const memoryOf = (chosen: ReadonlyArray<Sample>, order: number, starts?: RangeStarts): JobMemory => {
  const { block, collected: { jobs } } = blockOf(chosen)
  const plan = { block, jobs, starts: starts ?? rangesOf(jobs, 1) }
  const memory = jobMemory(new SharedArrayBuffer(Math.ceil(planLength(plan) / 4) * 4))
  writePlan(memory, plan, order)
  return memory
}
