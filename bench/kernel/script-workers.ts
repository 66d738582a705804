import { Worker } from "node:worker_threads"
import type { AvailableProvider } from "../../crypto/src/index.ts"
import { type Effort, median } from "../measure.ts"
import type { Row } from "../row.ts"
import { SPENDING_BLOCK, spentBlock } from "./spent-block.ts"
import { DONE, NEXT, READY, type ScriptWork, START } from "./script-worker.ts"

export const SPEED_UP = `${SPENDING_BLOCK.name}: scripts on 2 workers`

/** Workers that hang are a fault, not a figure. */
const PATIENCE_MILLISECONDS = 120_000

/** Waits until the number at `place` is `wanted`; threads count it up. */
const until = (state: Int32Array, place: number, wanted: number): void => {
  const start = performance.now()
  for (let now = Atomics.load(state, place); now < wanted; now = Atomics.load(state, place)) {
    Atomics.wait(state, place, now, 1_000)
    if (performance.now() - start > PATIENCE_MILLISECONDS) throw new Error("script workers do not answer")
  }
}

/** A group of workers that share the scripts of the block; `time` is how long all of them take, by the clock. */
const team = (
  of: number,
  provider: string,
  vectors: ReadonlyArray<string>
): { readonly time: () => number; readonly stop: () => void } => {
  const state = new Int32Array(new SharedArrayBuffer(16))
  for (let index = 0; index < of; index++) {
    const workerData: ScriptWork = { provider, vectors, state }
    new Worker(new URL("script-worker.ts", import.meta.url), { workerData }).unref()
  }
  let round = 0
  return {
    time: () => {
      until(state, READY, of * (round + 1))
      Atomics.store(state, NEXT, 0)
      const start = performance.now()
      Atomics.add(state, START, 1)
      Atomics.notify(state, START)
      round++
      until(state, DONE, of * round)
      return (performance.now() - start) / 1_000
    },
    stop: () => {
      Atomics.store(state, START, -1)
      Atomics.notify(state, START)
    }
  }
}

/**
 * How much faster two workers judge the scripts of a block than one. By the clock, as that is what threads are for: it
 * needs two idle processors.
 */
export const scriptWorkerRows = (
  { crypto, name }: AvailableProvider,
  vectors: ReadonlyArray<string>,
  { runs }: Effort
): ReadonlyArray<Row> => {
  if (spentBlock(vectors, crypto) === undefined) return []
  const one = team(1, name, vectors)
  const two = team(2, name, vectors)
  const rounds = Array.from({ length: runs }, () => ({ alone: one.time(), shared: two.time() }))
  one.stop()
  two.stop()
  return [{
    name: SPEED_UP,
    provider: name,
    value: median(rounds.map(({ shared }) => shared)) * 1_000,
    unit: "ms",
    ratio: median(rounds.map(({ alone, shared }) => alone / shared)),
    to: "1 worker"
  }]
}
