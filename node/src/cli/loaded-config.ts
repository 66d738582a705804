import * as Effect from "effect/Effect"
import type { ConfigError } from "../config/config-error.ts"
import type { LoadedConfig } from "../config/load-config.ts"
import { environment } from "./environment.ts"
import type { GlobalInput } from "./global-options.ts"
import { thisMachine } from "./machine.ts"

/**
 * A command calls a node elsewhere and opens no port, so the rules for the address the node listens on do not concern
 * it.
 */
const CALLED = { option: "--unsafe-rpc-bind", key: "unsafe_rpc_bind", text: "true" }

/** The configuration of a command that asks a running node. */
export const callersConfig = (input: GlobalInput): Effect.Effect<LoadedConfig, ConfigError> =>
  loadedConfig({ ...input, options: [...input.options.filter(({ key }) => key !== CALLED.key), CALLED] })

/**
 * The configuration of this process. What reads it is loaded when it is needed, so that other commands start sooner.
 */
export const loadedConfig = (input: GlobalInput): Effect.Effect<LoadedConfig, ConfigError> =>
  Effect.promise(() => import("../config/load-config.ts")).pipe(
    Effect.flatMap(({ loadConfig }) => loadConfig({ ...input, environment, machine: thisMachine() }))
  )
