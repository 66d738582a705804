import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { LogLevel } from "../../config/config.ts"
import { configuredLevels } from "../../log/category-switches.ts"
import { CORE_CATEGORIES } from "../../log/core-categories.ts"
import { Log, messageOf, SEVERITY_OF } from "../../log/log-layer.ts"
import type { Levels } from "../../log/log-record.ts"
import { Trace } from "../../runtime/trace.ts"
import type { DebugLog } from "./debug-log.ts"
import { linesOfTraceEvent } from "./lines-of-trace-events.ts"
import { linesOfRecord } from "./lines-of-records.ts"

const loggerTo = (log: DebugLog): Logger.Logger<unknown, void> =>
  Logger.make(({ cause, date, fiber, logLevel, message }) => {
    const { category = "node", ...fields } = fiber.getRef(References.CurrentLogAnnotations)
    const why = cause.reasons.length > 0 ? { cause: Cause.pretty(cause) } : {}
    const record = {
      time: date,
      level: SEVERITY_OF[logLevel],
      category: String(category),
      message: messageOf(message),
      fields: { ...fields, ...why }
    }
    for (const line of linesOfRecord(record)) log.write({ source: record.message, ...line })
  })

/** Returns active categories as levels, together with the node's own categories that they map to. */
const levelsOf = (categories: ReadonlySet<string>): Levels =>
  configuredLevels({
    level: "info",
    categories: Object.fromEntries(
      Object.keys(CORE_CATEGORIES).map((name): [string, LogLevel] => [name, categories.has(name) ? "debug" : "info"])
    )
  })

/** Returns the layer that logs to `debug.log`, including trace events. */
export const coreLogLayer = (log: DebugLog, showsIps: boolean): Layer.Layer<Log | Trace> =>
  Layer.mergeAll(
    Layer.succeed(
      Log,
      Log.of({
        reopen: Effect.sync(() => {
          const problem = log.reopen()
          if (problem !== undefined) log.write({ level: "error", text: problem })
        }),
        levels: () => levelsOf(log.categories()),
        // Only Core's categories can change here.
        setLevels: () => Effect.void,
        switches: {
          names: Object.keys(CORE_CATEGORIES),
          on: log.categories,
          set: (on) => Effect.sync(() => log.setCategories(on))
        }
      })
    ),
    Layer.succeed(
      Trace,
      Trace.of({
        notify: (happening) => {
          for (const line of linesOfTraceEvent(happening, showsIps)) log.write({ source: happening._tag, ...line })
        }
      })
    ),
    Logger.layer([loggerTo(log)]),
    Layer.succeed(References.MinimumLogLevel, "All")
  )
