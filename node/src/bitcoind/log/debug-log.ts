import { constants, openSync, writeSync } from "node:fs"
import { fsPath, shownBytes } from "../../bytes/byte-path.ts"
import { closeFile } from "../../storage/disk/close-file.ts"
import type { LogPlan } from "../plan/log-plan.ts"
import { type CoreLine, DEFAULT_SOURCE, isUnconditional, lineText } from "./core-line.ts"
import { UPDATE_TIP } from "./lines-of-notifications.ts"
import { type LimitVerdict, logRateLimit } from "./log-rate-limit.ts"
import { shrinkLog } from "./shrink.ts"

/** The log file, and optionally the console. Each line is in the file when `write` returns. */
export interface DebugLog {
  readonly write: (line: CoreLine, thread?: string) => void
  /** Reports whether a line of this kind is written. */
  readonly wants: (line: Pick<CoreLine, "category" | "level">) => boolean
  readonly categories: () => ReadonlySet<string>
  readonly setCategories: (categories: ReadonlySet<string>) => void
  /** Sets the mocked time in seconds, which lines then show as well; 0 if the clock is not mocked. */
  readonly setMockTime: (time: number) => void
  /** Reopens the file. Returns the error, or `undefined`. */
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

const MICROSECONDS_PER_SECOND = 1_000_000

const ADMITTED: LimitVerdict = { isSuppressed: false, isAnySuppressed: false, notices: [] }

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT

const couldNot = (file: string): string => `Could not open debug log file ${file}`

/** Returns why the log cannot be opened, in the words of `openDebugLog`, without changing its content. */
export const debugLogFault = ({ file }: LogPlan): string | undefined => {
  if (file === undefined) return undefined
  try {
    closeFile(openSync(fsPath(file), APPEND | constants.O_NONBLOCK, 0o600))
    return undefined
  } catch (error) {
    // Opening a FIFO for the log waits until it has a reader.
    return (error as NodeJS.ErrnoException).code === "ENXIO" ? undefined : couldNot(file)
  }
}

/** Opens the log. A failure is Bitcoin Core's message. */
export const openDebugLog = ({ now, plan, print }: DebugLogOptions): DebugLog | string => {
  const { file } = plan
  let descriptor: number | undefined
  let categories = plan.categories
  let mocked = 0
  const open = (): string | undefined => {
    if (file === undefined) return undefined
    try {
      descriptor = openSync(fsPath(file), "a", 0o600)
      return undefined
    } catch {
      return couldNot(file)
    }
  }
  if (file !== undefined && plan.shrinks) shrinkLog(file)
  const problem = open()
  if (problem !== undefined) return problem
  const limit = logRateLimit()
  const put = (text: string, isSuppressed = false): void => {
    if (plan.toConsole) print(text)
    if (descriptor === undefined || isSuppressed) return
    try {
      const bytes = shownBytes(text)
      if (typeof bytes === "string") writeSync(descriptor, bytes)
      else writeSync(descriptor, bytes)
    } catch {
      // The disk may be full, which the disk watch reports; the node goes on.
    }
  }
  const close = (): void => {
    if (descriptor !== undefined) closeFile(descriptor)
    descriptor = undefined
  }
  const wants: DebugLog["wants"] = ({ category, level }) => {
    if (isUnconditional({ category, level })) return true
    return category !== undefined && categories.has(category) &&
      ORDER.indexOf(level) >= ORDER.indexOf(plan.levels.get(category) ?? plan.level)
  }
  put("\n\n\n\n\n")
  return {
    write: (line, thread) => {
      if (!wants(line)) return
      const time = { now: now(), mocked }
      const text = `${lineText(line, time, plan, thread)}\n`
      const { source = DEFAULT_SOURCE } = line
      const { isAnySuppressed, isSuppressed, notices } =
        !plan.isLimited || !isUnconditional(line) || source === UPDATE_TIP
          ? ADMITTED
          : limit.admit(source, text.length, Number(time.now) / MICROSECONDS_PER_SECOND)
      const mark = isAnySuppressed ? "[*] " : ""
      for (const notice of notices) {
        put(`${mark}${lineText({ level: "warning", text: notice, source }, time, plan, thread)}\n`)
      }
      put(mark + text, isSuppressed)
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
