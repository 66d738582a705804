import type { LogLevel } from "../config/config.ts"

/** Levels of a line, least urgent first. */
export type Severity = Exclude<LogLevel, "none">

const SEVERITIES: ReadonlyArray<Severity> = ["trace", "debug", "info", "warn", "error"]

/** One line of the log. `message` is a constant; variable facts are in `fields`. */
export interface LogRecord {
  readonly time: Date
  readonly level: Severity
  readonly category: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  /** True if it is not for standard output, where the program prints its own text instead. */
  readonly isForFileAlone?: boolean
}

/** Levels of the log: a general one, and others for single categories. */
export interface Levels {
  readonly level: LogLevel
  readonly categories: Readonly<Record<string, LogLevel>>
}

/** Reports whether a line of this level and category is to be written. */
export const isWanted = (
  { categories, level }: Levels,
  of: { readonly level: Severity; readonly category: string }
): boolean => {
  const threshold = categories[of.category] ?? level
  return threshold !== "none" && SEVERITIES.indexOf(of.level) >= SEVERITIES.indexOf(threshold)
}

/** The annotation of a line that is for the log file alone, where its value is true. */
export const FOR_FILE_ALONE = "forFileAlone"
