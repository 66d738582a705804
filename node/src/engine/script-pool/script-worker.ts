import { parentPort, workerData } from "node:worker_threads"
import { runScriptWorker } from "./run-script-worker.ts"
import type { WorkerStart } from "./worker-messages.ts"

if (parentPort !== null) runScriptWorker(parentPort, workerData as WorkerStart)
