import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Worker } from "node:worker_threads"
import type { EngineNotification } from "../engine/api/engine-notification.ts"
import type { CallMessage, EngineMessage, EngineStart } from "../engine/api/engine-messages.ts"
import { acquireRelease } from "../finalizers/finalizers.ts"
import { takeEngineWorker } from "./engine-worker.ts"

/** The handlers of the engine's messages. */
export interface EngineListener {
  readonly ready: () => void
  /** Called with notifications that were sent together, in order. */
  readonly notified: (notifications: ReadonlyArray<EngineNotification>) => void
  readonly answer: (message: Extract<EngineMessage, { readonly id: number }>) => void
  /** Called when the thread has died: no answer will come any more. */
  readonly gone: (reason: string) => void
}

/** The engine's thread. */
export interface EngineThread {
  readonly send: (message: CallMessage) => void
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>
}

/** Starts the engine's thread. */
export type SpawnEngine = (start: EngineStart) => Worker

/** Starts the thread as every node does. */
export const spawnEngine: SpawnEngine = (start) => {
  const worker = takeEngineWorker()
  worker.postMessage(start, [])
  return worker
}

/** Returns the bytes that a call transfers, or `undefined` if it has none or keeps them. */
const bytesOf = ({ input, name }: CallMessage): Uint8Array | undefined => {
  switch (name) {
    case "acceptBlock":
    case "acceptTransaction":
      return input.bytes
    case "acceptHeaders":
      return input.headers
    case "beginCompactBlock":
    case "fillCompactBlock":
      return input.payload
    default:
      return undefined
  }
}

/** Returns the buffers that a call transfers instead of copying. A buffer is copied if another part of it may be in use. */
const transferred = (message: CallMessage): Array<ArrayBuffer> => {
  const bytes = bytesOf(message)
  return bytes?.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength ? [bytes.buffer] : []
}

/** Starts the engine in its own thread, which ends with the scope at the latest. */
export const startEngineThread = (
  start: EngineStart,
  listener: EngineListener,
  spawn: SpawnEngine = spawnEngine
): Effect.Effect<EngineThread, never, Scope.Scope> =>
  Effect.map(
    acquireRelease(Effect.sync(() => spawn(start)), (worker) => Effect.promise(() => worker.terminate())),
    (worker) => {
      let reason = "it ended by itself"
      worker.on("error", (error) => {
        reason = error instanceof Error ? error.stack ?? error.message : String(error)
      })
      const receive = (message: EngineMessage): void => {
        switch (message._tag) {
          case "Ready":
            return listener.ready()
          case "Refused":
            reason = message.message
            return
          case "Notifications":
            return listener.notified(message.notifications)
          case "Answer":
          case "Failure":
            return listener.answer(message)
          case "Batch":
            return message.messages.forEach(receive)
        }
      }
      worker.on("message", receive)
      const ended = new Promise<void>((resolve) => {
        worker.on("exit", () => {
          listener.gone(reason)
          resolve()
        })
      })
      return { send: (message) => worker.postMessage(message, transferred(message)), ended }
    }
  )
