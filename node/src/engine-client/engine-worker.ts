import { Worker } from "node:worker_threads"
import { programUrl } from "../program.ts"

/**
 * Heap limits of the engine's thread. Its heap holds the header index and the connecting blocks, at most a few hundred
 * megabytes; coins are outside the heap. V8 lets a heap grow by a factor that depends on the limit. Below two gigabytes
 * it collects so often that an import takes half as long again. The nursery, a third of the value here, holds the
 * objects of one block. A larger one touches more memory, which a virtual machine first has to get from the system.
 */
const HEAP = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 24 }

const makeWorker = (): Worker => new Worker(programUrl("engine"), { name: "engine", resourceLimits: HEAP })

let prepared: Worker | undefined

/**
 * Starts the engine's thread early, so that it loads its code meanwhile. It does not keep the process alive. If it dies
 * before it is used, it is replaced by a new one that reports the reason.
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

/** Returns the prepared thread, or a new one. It waits for its start message. */
export const takeEngineWorker = (): Worker => {
  const worker = prepared ?? makeWorker()
  prepared = undefined
  worker.ref()
  return worker
}
