import { Worker } from "node:worker_threads"
import { programUrl } from "../program.ts"

/**
 * The engine's heap holds the header index and the connecting blocks, a few hundred megabytes at the worst; coins lie
 * outside of it. V8 lets a heap grow by a factor that depends on the limit. Below two gigabytes it collects so often
 * that importing takes half as much time again. The nursery, a third of what is given here, holds what one block makes.
 * A larger one goes through more memory, which on a virtual machine the system first has to find.
 */
const HEAP = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 24 }

const makeWorker = (): Worker => new Worker(programUrl("engine"), { name: "engine", resourceLimits: HEAP })

let prepared: Worker | undefined

/**
 * Makes the engine's thread load its code while this one does other things. It keeps no process running, and one that
 * dies before it is used is replaced by one that says why.
 */
export const prepareEngineWorker = (): void => {
  const worker = makeWorker()
  const forget = (): void => {
    if (prepared === worker) prepared = undefined
  }
  worker.once("error", forget)
  worker.once("exit", forget)
  worker.unref()
  prepared = worker
}

/** The prepared thread, or a new one. It waits for what it is to start with. */
export const takeEngineWorker = (): Worker => {
  const worker = prepared ?? makeWorker()
  prepared = undefined
  worker.ref()
  return worker
}
