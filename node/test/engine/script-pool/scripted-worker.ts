import { EventEmitter } from "node:events"
import type { WorkerMessage, WorkerStart } from "../../../src/engine/script-pool/worker-messages.ts"

/** A worker that does what the test says. */
export class ScriptedWorker extends EventEmitter {
  readonly posted: Array<unknown> = []
  isTerminated = false
  readonly start: WorkerStart
  constructor(start: WorkerStart) {
    super()
    this.start = start
  }
  postMessage(message: unknown): void {
    this.posted.push(message)
  }
  terminate(): void {
    this.isTerminated = true
    this.emit("exit")
  }
  say(news: WorkerMessage): void {
    this.emit("message", news)
  }
}

export const READY = { _tag: "Ready", provider: "quick" } as const
