import * as Effect from "effect/Effect"
import type { ConfigError } from "../config/config-error.ts"
import type { LoadedConfig } from "../config/load-config.ts"
import { environment } from "./environment.ts"
import type { GlobalInput } from "./global-options.ts"
import { thisMachine } from "./machine.ts"

/**
 * An option for commands that call a node elsewhere. They open no port, so the rules for the listening address do not
 * apply.
 */
const CALLED = { option: "--unsafe-rpc-bind", key: "unsafe_rpc_bind", text: "true" }

/** Loads the configuration of a command that calls a running node. */
export const callersConfig = (input: GlobalInput): Effect.Effect<LoadedConfig, ConfigError> =>
  loadedConfig({ ...input, options: [...input.options.filter(({ key }) => key !== CALLED.key), CALLED] })

/**
 * Loads the configuration of this process. The code that reads it is loaded only then, so that other commands start
 * sooner.
 */
export const loadedConfig = (input: GlobalInput): Effect.Effect<LoadedConfig, ConfigError> =>
  Effect.promise(() => import("../config/load-config.ts")).pipe(
    Effect.flatMap(({ loadConfig }) => loadConfig({ ...input, environment, machine: thisMachine() }))
  )
