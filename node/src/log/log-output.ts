import { openSync, writeSync } from "node:fs"
import { fsPath } from "../bytes/byte-path.ts"
import { shownBytes } from "../bytes/byte-path.ts"
import { closeFile } from "../storage/disk/close-file.ts"
import { formatHuman, formatJson } from "./format.ts"
import type { LogRecord } from "./log-record.ts"
import { rateLimit } from "./rate-limit.ts"

/** Destination of log lines. */
export interface LogOutput {
  readonly write: (record: LogRecord) => void
  /** Reopens the file, so that a rotated one is closed. Returns a description of the failure, if any. */
  readonly reopen: () => string | undefined
  readonly close: () => void
}

export interface LogOutputOptions {
  readonly format: "human" | "json"
  readonly file: string | undefined
  /** Prints to standard output, or to a test's replacement. */
  readonly print: (text: string) => void
  /** Time of the opening. */
  readonly time: Date
}

const problemOf = (file: string, error: unknown): string =>
  `The log file ${file} cannot be opened: ${
    error instanceof Error ? error.message : String(error)
  }. Lines go to standard output only.`

const about = (record: LogRecord, message: string, fields: LogRecord["fields"]): LogRecord => ({
  ...record,
  level: "warn",
  message,
  fields
})

/** Writes lines to standard output and, if configured, to a file. The node continues if the file cannot be written. */
export const logOutput = ({ file, format, print, time }: LogOutputOptions): LogOutput => {
  const limit = rateLimit()
  const formatted = format === "json" ? formatJson : formatHuman
  let descriptor: number | undefined

  const open = (): string | undefined => {
    if (file === undefined) return undefined
    try {
      descriptor = openSync(fsPath(file), "a", 0o640)
      return undefined
    } catch (error) {
      return problemOf(file, error)
    }
  }
  const close = (): void => {
    if (descriptor !== undefined) closeFile(descriptor)
    descriptor = undefined
  }
  const put = (record: LogRecord): void => {
    const line = `${formatted(record)}\n`
    if (record.isForFileAlone !== true) print(line)
    if (descriptor === undefined) return
    try {
      const bytes = shownBytes(line)
      if (typeof bytes === "string") writeSync(descriptor, bytes)
      else writeSync(descriptor, bytes)
    } catch {
      // The disk watch reports a full disk; the line is on standard output.
      close()
    }
  }

  const write = (record: LogRecord): void => {
    const ruling = limit(record, formatted(record).length)
    if (ruling._tag === "Drop") return
    if (ruling._tag === "Silence") {
      return put(
        about(record, "one message is written too often; it is left out for the rest of the hour", {
          message: record.message
        })
      )
    }
    if (ruling._tag === "Resume") {
      put(about(record, "lines were left out", { dropped: ruling.dropped, message: record.message }))
    }
    put(record)
  }

  const problem = open()
  if (problem !== undefined) put({ time, level: "warn", category: "log", message: problem, fields: {} })
  return {
    write,
    reopen: () => {
      close()
      return open()
    },
    close
  }
}
