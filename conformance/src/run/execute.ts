import type { AvailableProvider } from "@lockstep/crypto/provider.ts"
import { Worker } from "node:worker_threads"
import { createBench } from "../judge/bench.ts"
import { fileAt } from "../sources/source.ts"
import { judgeUnit } from "./judge-unit.ts"
import type { Plan } from "./plan.ts"
import type { Unit, UnitResult } from "./result.ts"
import type { WorkerMessage, WorkerStart } from "./worker.ts"

/** The observer of a run. */
export interface Watcher {
  readonly judged: (unit: Unit, judged: number, failed: number) => void
  readonly done: (result: UnitResult) => void
}

const executeHere = async (
  plan: Plan,
  provider: AvailableProvider,
  watcher: Watcher
): Promise<ReadonlyArray<UnitResult>> => {
  const bench = createBench(provider.crypto)
  const results: Array<UnitResult> = []
  for (const unit of plan.units) {
    const file = fileAt(plan.sources[unit.source]!, unit.path)
    const result = await judgeUnit(unit, file, bench, (judged, failed) => watcher.judged(unit, judged, failed))
    watcher.done(result)
    results.push(result)
  }
  return results
}

/**
 * Starts a worker that takes units from `queue` until it is empty. A worker that dies fails the run: its unit is lost.
 */
const employ = (start: WorkerStart, queue: Array<Unit>, watcher: Watcher): Promise<ReadonlyArray<UnitResult>> => {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: start })
  const results: Array<UnitResult> = []
  let current: Unit | undefined
  const next = (): void => {
    current = queue.shift()
    if (current === undefined) return void worker.terminate()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin, a window has
    worker.postMessage(current)
  }
  worker.on("message", (message: WorkerMessage) => {
    if (message.kind === "progress") return watcher.judged(message.unit, message.judged, message.failed)
    results.push(message.result)
    watcher.done(message.result)
    next()
  })
  return new Promise((resolve, reject) => {
    worker.on("error", reject)
    worker.on(
      "exit",
      () =>
        current === undefined ? resolve(results) : reject(new Error(`a worker stopped while it judged ${current.path}`))
    )
    next()
  })
}

/** Runs a plan on one provider with at most `jobs` workers. */
export const execute = async (
  plan: Plan,
  provider: AvailableProvider,
  jobs: number,
  watcher: Watcher
): Promise<ReadonlyArray<UnitResult>> => {
  const workers = Math.min(jobs, plan.units.length)
  if (workers <= 1) return executeHere(plan, provider, watcher)
  const queue = [...plan.units]
  const start: WorkerStart = { provider: provider.name, sources: plan.sources }
  return (await Promise.all(Array.from({ length: workers }, () => employ(start, queue, watcher)))).flat()
}
