import { Worker } from "node:worker_threads"
import type { Answer, Order, WorkerData } from "./messages.ts"

/**
 * How long one input may take, and how long the seeds may take to gather: of the processor's time, since a machine may
 * have other things to do. The longest honest input, a recorded chain of 4.7 MB, takes more than 5 s on a slow one. Nothing may take longer than `LOST_MS` by the clock.
 */
const HANG_MS = 20_000
const LOST_MS = 90_000
const START_MS = 120_000

/** Why a worker stopped answering. */
type Stopped = { readonly type: "hang"; readonly index: number } | {
  readonly type: "crash"
  readonly index: number
  readonly why: string
}

/** A worker thread that is replaced when it hangs or dies. */
export interface Session {
  /** Makes a worker ready where there is none, so that what follows is not delayed by it. */
  readonly start: () => Promise<Stopped | undefined>
  /** Gives `order` and hands on what is answered until the last answer; or reports why none comes any more. */
  readonly order: (order: Order, onAnswer: (answer: Answer) => void) => Promise<Stopped | undefined>
  readonly close: () => Promise<void>
}

const isLast = (answer: Answer): boolean =>
  answer.type === "done" || answer.type === "input" || answer.type === "ready" || answer.type === "prepared"

/** What this process has taken of the processor so far. */
const spentMs = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

/** Errors of other threads arrive as plain data. */
const wordsOf = (error: unknown): string =>
  (error as { message?: unknown } | null)?.message?.toString() ?? JSON.stringify(error)

/** Starts worker threads on demand; `onReady` receives what a new one works with. */
export const openSession = (options: Omit<WorkerData, "progress">, onReady: (answer: Answer) => void): Session => {
  let progress = new Int32Array(new SharedArrayBuffer(4))
  let worker: Worker | undefined

  const close = async (): Promise<void> => {
    await worker?.terminate()
    worker = undefined
  }

  /** Waits for the last answer, a crash, or work worth `patience` without progress. */
  const answered = (
    running: Worker,
    patience: number,
    onAnswer: (answer: Answer) => void
  ): Promise<Stopped | undefined> =>
    new Promise((resolve) => {
      let seen = Atomics.load(progress, 0)
      let since = { time: Date.now(), spent: spentMs() }
      const isOver = (): boolean =>
        spentMs() - since.spent > patience || Date.now() - since.time > Math.max(patience, LOST_MS)
      const finish = (stopped: Stopped | undefined): void => {
        clearInterval(watch)
        running.off("message", onMessage).off("error", onError).off("exit", onExit)
        resolve(stopped)
      }
      const watch = setInterval(() => {
        const now = Atomics.load(progress, 0)
        if (now !== seen) since = { time: Date.now(), spent: spentMs() }
        seen = now
        if (isOver()) finish({ type: "hang", index: now })
      }, 100)
      const onMessage = (answer: Answer): void => {
        since = { time: Date.now(), spent: spentMs() }
        onAnswer(answer)
        if (isLast(answer)) finish(undefined)
      }
      const onError = (error: unknown): void =>
        finish({ type: "crash", index: Atomics.load(progress, 0), why: wordsOf(error) })
      const onExit = (): void => finish({ type: "crash", index: Atomics.load(progress, 0), why: "the worker ended" })
      running.on("message", onMessage).on("error", onError).on("exit", onExit)
    })

  const start: Session["start"] = async () => {
    if (worker !== undefined) return undefined
    progress = new Int32Array(new SharedArrayBuffer(4))
    Atomics.store(progress, 0, -1)
    const data: WorkerData = { ...options, progress: progress.buffer as SharedArrayBuffer }
    const started = new Worker(new URL("worker.ts", import.meta.url), { workerData: data })
    const stopped = await answered(started, START_MS, onReady)
    if (stopped === undefined) worker = started
    else await started.terminate()
    return stopped
  }

  const order: Session["order"] = async (given, onAnswer) => {
    const failed = await start()
    if (failed !== undefined || worker === undefined) return failed
    // Minimising shows no progress until its time is over.
    const minimising = given.type === "minimise" ? given.until - Date.now() + HANG_MS : HANG_MS
    const patience = given.type === "prepare" ? START_MS : minimising
    const awaited = answered(worker, patience, onAnswer)
    // A thread's port has no origin to name.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(given)
    const stopped = await awaited
    if (stopped !== undefined) await close()
    return stopped
  }

  return { start, order, close }
}
