import { readFileSync } from "node:fs"

/** Ticks of the processor clock in a second, as Linux shows them to every program. */
const TICKS = 100
/**
 * Where user and system time stand in /proc/PID/stat, counted behind the name of the program, which may have spaces.
 */
const USER_TIME = 11

/** What a process has taken so far. */
export interface ProcessFigures {
  /** Of all processors, of all threads. */
  readonly processorSeconds: number
  /** Most memory at any time, bytes. */
  readonly memory: number
}

const processorSecondsIn = (path: string): number => {
  const stat = readFileSync(path, "latin1")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[USER_TIME]) + Number(fields[USER_TIME + 1])) / TICKS
}

/** Reads them from /proc; the process must be there. */
export const processFigures = (pid: number): ProcessFigures => {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))
  return {
    processorSeconds: processorSecondsIn(`/proc/${pid}/stat`),
    memory: Number(peak?.[1] ?? 0) * 1024
  }
}

/** Processor time of the main thread of a process: the thread that has the process's id. */
export const mainThreadSeconds = (pid: number): number => processorSecondsIn(`/proc/${pid}/task/${pid}/stat`)
