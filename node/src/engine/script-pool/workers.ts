import * as Effect from "effect/Effect"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { programUrl } from "../../program.ts"
import type { ScriptPoolFailure } from "./script-pool.ts"
import { Control, type WorkerMessage, type WorkerStart } from "./worker-messages.ts"

export type SpawnWorker = (start: WorkerStart) => Worker

/**
 * Size of a worker's young generation. Almost no object of verification outlives a job, so a collection is cheap if it
 * needs no threads of its own (docs/decisions/0012). Each worker walks its whole young generation, and there are as
 * many workers as processors.
 */
export const youngMebibytes = (processors: number): number => Math.max(3, Math.min(12, Math.floor(24 / processors)))

/** Starts the worker of `script-worker.ts`. */
export const spawnScriptWorker: SpawnWorker = (workerData) =>
  new Worker(programUrl("script-worker"), {
    workerData,
    name: "script worker",
    resourceLimits: { maxYoungGenerationSizeMb: youngMebibytes(availableParallelism()) }
  })

/** Parameters and callbacks of a group of workers. */
export interface CrewOptions {
  readonly count: number
  readonly provider: string | undefined
  readonly spawn: SpawnWorker
  /** The messages that a later worker has to be sent first. */
  readonly memories: () => ReadonlyArray<SharedArrayBuffer>
  readonly onFinished: () => void
  readonly onDefect: (order: number, message: string) => void
  /** Called when a worker has ended, perhaps with claimed ranges. */
  readonly onDeath: (message: string) => void
  /** Called when no worker is left and none will be started. */
  readonly onLastDeath: (message: string) => void
}

/** Workers that are replaced when they die. */
export interface Crew {
  readonly provider: string
  /** Announces a new memory to all workers. */
  readonly share: (buffer: SharedArrayBuffer) => void
  /** Wakes workers for `ranges` more ranges. */
  readonly wake: (ranges: number) => void
  readonly stop: Effect.Effect<void>
}

/** Extra time for a worker that does not stop on request because it is in the middle of a long job. */
const PATIENCE_MILLISECONDS = 2_000

/** After this many workers in a row that die before they are ready, no further one is started. */
const MOST_FAILED_STARTS = 3

interface Member {
  readonly worker: Worker
  readonly gone: Promise<void>
}

/** Starts `count` workers. Yields once all of them are ready, or fails with the reason why one is not. */
export const startWorkers = (options: CrewOptions): Effect.Effect<Crew, ScriptPoolFailure> =>
  Effect.callback((resume) => {
    const { count, onDeath, onDefect, onFinished, onLastDeath, provider, spawn } = options
    const control = new Int32Array(new SharedArrayBuffer(Control.SIZE * 4))
    const members = new Set<Member>()
    let ready = 0
    let failedStarts = 0
    let stopping = false

    const signal = (sleepers: number): void => {
      Atomics.add(control, Control.SIGNAL, 1)
      Atomics.notify(control, Control.SIGNAL, sleepers)
    }

    const stop = Effect.promise(async () => {
      stopping = true
      Atomics.store(control, Control.STOP, 1)
      signal(Infinity)
      const impatience = setTimeout(() => {
        for (const { worker } of members) void worker.terminate()
      }, PATIENCE_MILLISECONDS)
      await Promise.all([...members].map(({ gone }) => gone))
      clearTimeout(impatience)
    })

    const refuse = (message: string): void =>
      resume(Effect.andThen(stop, Effect.fail<ScriptPoolFailure>({ _tag: "ScriptPoolFailure", message })))

    const crewOf = (detail: string): Crew => ({
      provider: detail,
      share: (buffer) => {
        for (const { worker } of members) worker.postMessage(buffer, [])
      },
      wake: (ranges) => signal(Math.min(ranges, count)),
      stop
    })

    const add = (): void => {
      const worker = spawn({ control, provider })
      let isReady = false
      let reason = "it ended by itself"

      const receive = (message: WorkerMessage): void => {
        switch (message._tag) {
          case "Ready":
            isReady = true
            failedStarts = 0
            if (++ready === count) resume(Effect.succeed(crewOf(message.provider)))
            return
          case "Refused":
            reason = message.message
            return
          case "Finished":
            Atomics.store(control, Control.MESSAGES, 0)
            return onFinished()
          case "Defect":
            return onDefect(message.order, message.message)
        }
      }

      const gone = new Promise<void>((done) => {
        worker.on("exit", () => {
          members.delete(member)
          done()
          if (stopping) return
          const message = `A script worker is gone: ${reason}.`
          // The dead worker may have been about to report it.
          Atomics.store(control, Control.MESSAGES, 0)
          if (ready < count) return refuse(message)
          onDeath(message)
          failedStarts += isReady ? 0 : 1
          if (failedStarts < MOST_FAILED_STARTS) add()
          else if (members.size === 0) onLastDeath(message)
        })
      })
      worker.on("message", receive)
      worker.on("error", (error) => {
        reason = error instanceof Error ? error.message : String(error)
      })
      const member: Member = { worker, gone }
      members.add(member)
      for (const buffer of options.memories()) worker.postMessage(buffer, [])
    }

    for (let i = 0; i < count; i++) add()
    return stop
  })
