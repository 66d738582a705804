import { closeSync, openSync, writeSync } from "node:fs"
import type { LogPlan } from "../plan/log-plan.ts"
import { type CoreLine, lineText } from "./core-line.ts"
import { shrinkLog } from "./shrink.ts"

/** The log file, and the console where that is wanted. Each line is on disk when `write` returns. */
export interface DebugLog {
  readonly write: (line: CoreLine, thread?: string) => void
  /** Whether a line of this kind is written. */
  readonly wants: (line: Pick<CoreLine, "category" | "level">) => boolean
  readonly categories: () => ReadonlySet<string>
  readonly setCategories: (categories: ReadonlySet<string>) => void
  /** Seconds that stand in for the clock, which lines then show as well; 0: none do. */
  readonly setMockTime: (time: number) => void
  /** Opens the file anew; answers what went wrong. */
  readonly reopen: () => string | undefined
  readonly close: () => void
}

export interface DebugLogOptions {
  readonly plan: LogPlan
  readonly print: (text: string) => void
  /** Microseconds since 1970. */
  readonly now: () => bigint
}

const ORDER = ["trace", "debug", "info", "warning", "error"]

const couldNot = (file: string): string => `Could not open debug log file ${file}`

/** Opens the log; a failure is Bitcoin Core's message. */
export const openDebugLog = ({ now, plan, print }: DebugLogOptions): DebugLog | string => {
  const { file } = plan
  let descriptor: number | undefined
  let categories = plan.categories
  let mocked = 0
  const open = (): string | undefined => {
    if (file === undefined) return undefined
    try {
      descriptor = openSync(file, "a", 0o600)
      return undefined
    } catch {
      return couldNot(file)
    }
  }
  if (file !== undefined && plan.shrinks) shrinkLog(file)
  const problem = open()
  if (problem !== undefined) return problem
  const put = (text: string): void => {
    if (plan.toConsole) print(text)
    if (descriptor === undefined) return
    try {
      writeSync(descriptor, text)
    } catch {
      // A full disk: the watch of the disk says so, and the node goes on.
    }
  }
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const wants: DebugLog["wants"] = ({ category, level }) => {
    if (category === undefined || ORDER.indexOf(level) >= ORDER.indexOf("info")) return true
    return categories.has(category) && ORDER.indexOf(level) >= ORDER.indexOf(plan.levels.get(category) ?? plan.level)
  }
  put("\n\n\n\n\n")
  return {
    write: (line, thread) => {
      if (wants(line)) put(`${lineText(line, { now: now(), mocked }, plan, thread)}\n`)
    },
    wants,
    categories: () => categories,
    setCategories: (wanted) => void (categories = wanted),
    setMockTime: (seconds) => void (mocked = seconds),
    reopen: () => {
      close()
      return open()
    },
    close
  }
}
