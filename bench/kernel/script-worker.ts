import { parentPort, workerData } from "node:worker_threads"
import { selectProvider } from "../../crypto/src/index.ts"
import { collectBlock } from "../../kernel/src/connect/collect.ts"
import { judgeScripts } from "../../kernel/src/connect/judge.ts"
import { createMachine } from "../../kernel/src/machine/machine.ts"
import { spentBlock } from "./spent-block.ts"

/**
 * What a worker is given: `state` is shared, and holds which round it is, how many are ready and done, and the next
 * job.
 */
export interface ScriptWork {
  readonly provider: string
  readonly vectors: ReadonlyArray<string>
  readonly state: Int32Array
}

/**
 * Places in the shared state: a signal to start, how many workers are ready, how many are done, the next job to take.
 */
export const START = 0
export const READY = 1
export const DONE = 2
export const NEXT = 3

const run = ({ provider, state, vectors }: ScriptWork): void => {
  const selection = selectProvider(provider)
  if (!selection.ok) throw new Error(`the crypto provider ${provider} has gone`)
  const { crypto } = selection.provider
  const { block, identity, node, parameters, view } = spentBlock(vectors, crypto)!
  // The largest first, so that none is left over when the others have nothing more to do.
  const jobs = [...collectBlock(block, node, identity, parameters, view).jobs].sort((a, b) =>
    b.tx.inputs.length - a.tx.inputs.length
  )
  const machine = createMachine(crypto)
  const judge = (): void => {
    for (let at = Atomics.add(state, NEXT, 1); at < jobs.length; at = Atomics.add(state, NEXT, 1)) {
      if (judgeScripts(machine, jobs[at]!)._tag === "Failure") throw new Error("a valid block has a script that fails")
    }
  }
  for (const job of jobs) judgeScripts(machine, job)
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
