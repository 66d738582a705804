import { shownBytes } from "../bytes/byte-path.ts"
import * as Clock from "effect/Clock"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import type { NodeConfig } from "../config/config.ts"
import { acquireRelease } from "../finalizers/finalizers.ts"
import { configuredLevels } from "./category-switches.ts"
import { type LogOutput, logOutput, type LogOutputOptions } from "./log-output.ts"
import { FOR_FILE_ALONE, isWanted, type Levels, type Severity } from "./log-record.ts"

/** Categories that are on or off, without levels in between. */
export interface LogSwitches {
  readonly names: ReadonlyArray<string>
  readonly on: () => ReadonlySet<string>
  readonly set: (on: ReadonlySet<string>) => Effect.Effect<void>
}

/** The log of the running node, as far as signals and calls can change it. */
export class Log extends Context.Service<Log, {
  /** Reopens the log file after a rotation. */
  readonly reopen: Effect.Effect<void>
  readonly levels: () => Levels
  readonly setLevels: (levels: Levels) => Effect.Effect<void>
  /** Switches for the `logging` method; absent if it switches the categories of the levels. */
  readonly switches?: LogSwitches
}>()("@node/log/Log") {}

export const SEVERITY_OF: Readonly<Record<LogLevel.LogLevel, Severity>> = {
  All: "trace",
  Trace: "trace",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "error",
  None: "error"
}

export const messageOf = (message: unknown): string =>
  (Array.isArray(message) ? message : [message]).map((part) => typeof part === "string" ? part : String(part)).join(" ")

/** Returns the text of an error, with its cause if the line has one. */
const errorText = (message: string, { cause, error = cause }: Readonly<Record<string, unknown>>): string =>
  error === undefined ? message : `${message}: ${String(error)}`

/** Makes a logger that writes to `output` according to the present levels, and passes on every error. */
const loggerTo = (
  output: LogOutput,
  levels: () => Levels,
  onError: (error: string) => void
): Logger.Logger<unknown, void> =>
  Logger.make(({ cause, date, fiber, logLevel, message }) => {
    const { category = "node", [FOR_FILE_ALONE]: isForFileAlone, ...fields } = fiber.getRef(
      References.CurrentLogAnnotations
    )
    const level = SEVERITY_OF[logLevel]
    const name = String(category)
    const isShown = isWanted(levels(), { level, category: name })
    if (!isShown && level !== "error") return
    const text = messageOf(message)
    const all = { ...fields, ...cause.reasons.length > 0 ? { cause: Cause.pretty(cause) } : {} }
    if (level === "error") onError(errorText(text, all))
    if (isShown) {
      output.write({
        time: date,
        level,
        category: name,
        message: text,
        fields: all,
        isForFileAlone: isForFileAlone === true
      })
    }
  })

const formatOf = ({ format }: NodeConfig["logging"]): LogOutputOptions["format"] =>
  format === "auto" ? process.stdout.isTTY ? "human" : "json" : format

const print = (text: string): void => {
  process.stdout.write(shownBytes(text))
}

/** Logging according to the configuration: for people on a terminal, JSON elsewhere. `onError` gets every error as well. */
export const logLayer = (
  logging: NodeConfig["logging"],
  onError: (error: string) => void = () => {}
): Layer.Layer<Log> =>
  Layer.unwrap(Effect.gen(function*() {
    let levels = configuredLevels({ level: logging.level, categories: logging.categories })
    const time = new Date(yield* Clock.currentTimeMillis)
    const output = yield* acquireRelease(
      Effect.sync(() => logOutput({ format: formatOf(logging), file: logging.file, print, time })),
      ({ close }) => Effect.sync(close)
    )
    const reopen = Effect.suspend(() => {
      const problem = output.reopen()
      return problem === undefined ? Effect.logInfo("log file opened anew") : Effect.logError(problem)
    }).pipe(Effect.annotateLogs({ category: "log" }))
    return Layer.mergeAll(
      Layer.succeed(
        Log,
        Log.of({
          reopen,
          levels: () => levels,
          setLevels: (wanted) => Effect.sync(() => void (levels = wanted))
        })
      ),
      Logger.layer([loggerTo(output, () => levels, onError)]),
      // Levels change while the node runs and differ by category, so the logger itself drops lines below the level.
      Layer.succeed(References.MinimumLogLevel, "All")
    )
  }))
