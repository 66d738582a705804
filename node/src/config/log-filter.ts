import type { LogLevel } from "./config.ts"

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: "trace",
  debug: "debug",
  info: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  none: "none",
  off: "none"
}

export const LOG_LEVEL_WORDS = Object.keys(LEVELS)

/** A level for everything, and levels of single categories. */
export interface LogFilter {
  readonly level: LogLevel | undefined
  readonly categories: Readonly<Record<string, LogLevel>>
}

export const logLevelCalled = (word: string): LogLevel | undefined => {
  const name = word.toLowerCase()
  return Object.hasOwn(LEVELS, name) ? LEVELS[name] : undefined
}

/** Parses a text such as `info` or `warn,rpc=debug,storage=trace`. Returns `undefined` for any other text. */
export const parseLogFilter = (text: string): LogFilter | undefined => {
  let level: LogLevel | undefined
  const categories: Record<string, LogLevel> = {}
  for (const part of text.split(",").map((piece) => piece.trim())) {
    const [left, right, ...rest] = part.split("=")
    const wanted = logLevelCalled(right ?? left ?? "")
    if (wanted === undefined || rest.length > 0) return undefined
    if (right === undefined) level = wanted
    else if (/^[\w:-]+$/.test(left!)) categories[left!] = wanted
    else return undefined
  }
  return { level, categories }
}
