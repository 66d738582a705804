import { parentPort, workerData } from "node:worker_threads"
import { selectProvider } from "../../crypto/src/index.ts"
import { collectBlock } from "../../kernel/src/connect/collect.ts"
import { judgeScripts } from "../../kernel/src/connect/judge.ts"
import { createMachine } from "../../kernel/src/script/machine.ts"
import { spentBlock } from "./spent-block.ts"

/** What a worker is given: `state` is shared, and holds whose turn it is and how many are done. */
export interface ScriptWork {
  readonly provider: string
  readonly vectors: ReadonlyArray<string>
  readonly state: Int32Array
  /** This worker's number, of `of`. */
  readonly index: number
  readonly of: number
}

/** Places in the shared state: a signal to start, how many workers are ready, how many are done. */
export const START = 0
export const READY = 1
export const DONE = 2

const run = ({ index, of, provider, state, vectors }: ScriptWork): void => {
  const selection = selectProvider(provider)
  if (!selection.ok) throw new Error(`the crypto provider ${provider} has gone`)
  const { crypto } = selection.provider
  const { block, identity, node, parameters, view } = spentBlock(vectors, crypto)!
  const jobs = collectBlock(block, node, identity, parameters, view).jobs.filter((_, i) => i % of === index)
  const machine = createMachine(crypto)
  const judge = (): void => {
    for (const job of jobs) if (judgeScripts(machine, job)._tag === "Failure") throw new Error("a valid block has a script that fails")
  }
  judge()
  for (let round = 0;; round++) {
    Atomics.add(state, READY, 1)
    Atomics.notify(state, READY)
    Atomics.wait(state, START, round)
    if (Atomics.load(state, START) < 0) return
    judge()
    Atomics.add(state, DONE, 1)
    Atomics.notify(state, DONE)
  }
}

if (parentPort !== null) run(workerData as ScriptWork)
