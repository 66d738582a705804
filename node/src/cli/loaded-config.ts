import * as Effect from "effect/Effect"
import type { ConfigError } from "../config/config-error.ts"
import type { LoadedConfig } from "../config/load-config.ts"
import type { GlobalInput } from "./global-options.ts"
import { thisMachine } from "./machine.ts"

/** The configuration of this process. What reads it is loaded when it is needed, so that other commands start sooner. */
export const loadedConfig = (input: GlobalInput): Effect.Effect<LoadedConfig, ConfigError> =>
  Effect.promise(() => import("../config/load-config.ts")).pipe(
    Effect.flatMap(({ loadConfig }) => loadConfig({ ...input, environment: process.env, machine: thisMachine() }))
  )
