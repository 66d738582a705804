import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { monotonicClock } from "../../clock.ts"
import { MOST_THREADS, type ResourceLimits } from "./resource-limits.ts"
import { KIBIBYTE, MEBIBYTE } from "../../units.ts"

/** Resources that a process uses. */
export interface Usage {
  /** Bytes in memory and swapped out. */
  readonly memoryBytes: number
  /** Processor time in milliseconds since the start. */
  readonly processorMs: number
  readonly threads: number
}

/** Linux reports processor time to programs in hundredths of a second. */
const TICK_MS = 10

/** Position of the user time after the name of the program; the time in the kernel follows it. */
const USER_TIME = 11

/** Parses the usage of a process from the texts of `/proc/<pid>/status` and `/proc/<pid>/stat`. */
export const usageIn = (status: string, stat: string): Usage => {
  const numberOf = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(status)?.[1] ?? 0)
  const times = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(USER_TIME, USER_TIME + 2).map(Number)
  return {
    memoryBytes: (numberOf("VmRSS") + numberOf("VmSwap")) * KIBIBYTE,
    processorMs: ((times[0] ?? 0) + (times[1] ?? 0)) * TICK_MS,
    threads: numberOf("Threads")
  }
}

/** Returns the current usage of a process, or `undefined` if it has ended or the system does not report it. */
export const processUsage = (pid: number): Usage | undefined => {
  try {
    return usageIn(readFileSync(`/proc/${pid}/status`, "latin1"), readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return undefined
  }
}

const mebibytes = (bytes: number): number => Math.round(bytes / MEBIBYTE)

/** Returns the reason to end a module with this usage, or `undefined` if it is within the limits. */
export const excess = ({ memoryBytes, threads }: Usage, limits: ResourceLimits): string | undefined => {
  if (memoryBytes > limits.memoryBytes) {
    return `uses ${mebibytes(memoryBytes)} MiB of memory, and ${mebibytes(limits.memoryBytes)} MiB are allowed`
  }
  return threads > MOST_THREADS ? `has ${threads} threads, and ${MOST_THREADS} are allowed` : undefined
}

/** Maximum processor time that a module may save up for a burst, in milliseconds. */
const MOST_CREDIT_MS = 10_000

/**
 * Returns the processor time that a module has left after `elapsedMs`, of which it used `usedMs`. Below zero it is
 * suspended.
 */
export const creditAfter = (creditMs: number, elapsedMs: number, usedMs: number, percent: number): number =>
  Math.min(MOST_CREDIT_MS, creditMs + elapsedMs * percent / 100 - usedMs)

const INTERVAL = "500 millis"

const signal = (pid: number, name: "SIGSTOP" | "SIGCONT"): void => {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended.
  }
}

/**
 * Watches the process of a module. Ends with a reason when the module exceeds its memory; suspends it while it has used
 * more than its share of the processor. A module cannot escape the watch, since it may start no other process.
 */
export const watchResources = (
  pid: number,
  limits: ResourceLimits,
  creditAtFirst: number = MOST_CREDIT_MS
): Effect.Effect<string> =>
  Effect.gen(function*() {
    const now = yield* monotonicClock
    let [last, used, credit, isHalted] = [now(), processUsage(pid)?.processorMs ?? 0, creditAtFirst, false]
    const account = ({ processorMs }: Usage): void => {
      const time = now()
      credit = creditAfter(credit, time - last, processorMs - used, limits.processorPercent)
      last = time
      used = processorMs
      if (credit < 0 === isHalted) return
      isHalted = !isHalted
      signal(pid, isHalted ? "SIGSTOP" : "SIGCONT")
    }
    for (;;) {
      yield* Effect.sleep(INTERVAL)
      const usage = processUsage(pid)
      if (usage === undefined) continue
      const reason = excess(usage, limits)
      if (reason !== undefined) return reason
      account(usage)
    }
  })
