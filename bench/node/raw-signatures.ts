import { Worker } from "node:worker_threads"
import type { RawAsked, RawFigures, RawKeys, RawStart } from "./raw-signature-worker.ts"

/**
 * How many signatures a second all threads together verify with nothing around them, and what one takes of a processor.
 */
export interface RawRate {
  readonly perSecond: number
  readonly processorSecondsEach: number
}

/** Threads that verify signatures of the chain, all at the same time. */
export interface RawTeam {
  readonly measure: (milliseconds: number, keys?: RawKeys) => Promise<RawRate>
  readonly stop: () => Promise<void>
}

const answerOf = <A>(worker: Worker): Promise<A> =>
  new Promise((resolve, reject) => {
    worker.once("error", reject)
    worker.once("message", (answer) => {
      worker.off("error", reject)
      resolve(answer)
    })
  })

const sumOf = (figures: ReadonlyArray<number>): number => figures.reduce((sum, figure) => sum + figure, 0)

/** Starts as many threads as script workers are measured with. */
export const rawTeam = async (threads: number, start: RawStart): Promise<RawTeam> => {
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL("raw-signature-worker.ts", import.meta.url), { workerData: start })
  )
  await Promise.all(workers.map(answerOf))
  return {
    measure: async (milliseconds, keys = "bytes") => {
      const answers = workers.map((worker) => answerOf<RawFigures>(worker))
      for (const worker of workers) worker.postMessage({ milliseconds, keys } satisfies RawAsked, [])
      const figures = await Promise.all(answers)
      return {
        perSecond: sumOf(figures.map(({ calls, seconds }) => calls / seconds)),
        processorSecondsEach: sumOf(figures.map(({ processorSeconds }) => processorSeconds)) /
          sumOf(figures.map(({ calls }) => calls))
      }
    },
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()))
    }
  }
}
