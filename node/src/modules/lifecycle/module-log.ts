import type { ModuleMessageOf } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"

const LEVELS = {
  Trace: Effect.logTrace,
  Debug: Effect.logDebug,
  Info: Effect.logInfo,
  Warn: Effect.logWarning,
  Error: Effect.logError
} as const

/** Maximum characters of a logged line; the rest is cut. */
const MOST_CHARACTERS = 4_000

/** Logs a module's text as a field, since the log's limit counts lines by their message. */
const written = (
  log: (message: string) => Effect.Effect<void>,
  message: string,
  fields: Readonly<Record<string, string>>
): Effect.Effect<void> => log(message).pipe(Effect.annotateLogs({ category: "modules", ...fields }))

/** Logs a line that a module sent for the log. */
export const logModuleLine = (
  module: string,
  { level, message, target }: ModuleMessageOf<"Log">
): Effect.Effect<void> =>
  written(LEVELS[level], `from the module ${module}`, {
    text: message.slice(0, MOST_CHARACTERS),
    ...target === "" ? {} : { target: target.slice(0, MOST_CHARACTERS) }
  })

/** Logs a line that a module printed. */
export const logPrinted = (module: string, text: string): Effect.Effect<void> =>
  written(Effect.logInfo, `printed by the module ${module}`, { text })
