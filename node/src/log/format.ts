import type { LogRecord } from "./log-record.ts"

const isPlain = (text: string): boolean => /^[\w.:/@+-]+$/.test(text)

// A log entry stays one line, whatever a peer or a file name contains.
const escaped = (text: string): string => JSON.stringify(text)

const textOf = (value: unknown): string => {
  if (value instanceof Error) return escaped(value.message)
  if (typeof value === "string") return isPlain(value) ? value : escaped(value)
  if (typeof value === "bigint") return value.toString()
  return typeof value === "object" ? escaped(JSON.stringify(value) ?? "null") : String(value)
}

const oneLine = (text: string): string =>
  // oxlint-disable-next-line eslint/no-control-regex -- control characters must not get through
  text.replaceAll(/[\u0000-\u001f\u007f]+/g, " ")

const LEVEL_NAMES = { trace: "trace", debug: "debug", info: "info ", warn: "WARN ", error: "ERROR" } as const

/** Formats a line for people: time, level, category, message, then `name=value`. */
export const formatHuman = ({ category, fields, level, message, time }: LogRecord): string => {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${textOf(value)}`)
  return `${time.toISOString()} ${LEVEL_NAMES[level]} [${category}] ${oneLine(message)}${pairs.join("")}`
}

const jsonValue = (value: unknown): unknown =>
  value instanceof Error ? value.message : typeof value === "bigint" ? value.toString() : value

/** Formats a line for programs: one JSON object with `time`, `level`, `category`, `message` and the fields. */
export const formatJson = ({ category, fields, level, message, time }: LogRecord): string => {
  const own = { time: time.toISOString(), level, category, message }
  const rest = Object.entries(fields).map((
    [name, value]
  ) => [Object.hasOwn(own, name) ? `field_${name}` : name, jsonValue(value)])
  return JSON.stringify({ ...own, ...Object.fromEntries(rest) })
}
