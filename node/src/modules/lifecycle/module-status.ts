import type { VerifiedModule } from "../registry/discover.ts"
import { CUT_OFF } from "./announce.ts"
import { type ModulePhaseWord, PHASE_WORDS } from "./module-state.ts"
import type { ProcessFigures } from "./spawn.ts"
import type { SupervisedModule } from "./supervisor.ts"

/** In one word, what a module does. */
export type ModuleStatusWord = ModulePhaseWord | "crashed" | "reconnecting" | "refused"

/** What is known of one module. */
export interface ModuleStatus {
  /** Of a refused module, the name of its directory. */
  readonly name: string
  readonly version: string | undefined
  readonly description: string | undefined
  readonly directory: string
  readonly capabilities: ReadonlyArray<string>
  readonly status: ModuleStatusWord
  readonly pid: number | undefined
  /** How often it was started again since it last ran long enough. */
  readonly restarts: number
  /** Of its present process; none: it has not shaken hands. */
  readonly figures: ProcessFigures | undefined
  /** Why it does not run. */
  readonly errors: ReadonlyArray<string>
}

const facts = ({ directory, manifest }: VerifiedModule) => ({
  name: manifest.name,
  version: manifest.versionText,
  description: manifest.description,
  directory,
  capabilities: manifest.capabilities
})

/** The status of a module that the supervisor has. */
export const statusOf = ({ connected, isCutOff, module, state }: SupervisedModule): ModuleStatus => ({
  ...facts(module),
  status: isCutOff ? CUT_OFF : PHASE_WORDS[state._tag],
  pid: connected?.pid,
  restarts: "restarts" in state ? state.restarts : 0,
  figures: connected?.figures(),
  errors: "error" in state && state.error !== undefined ? [state.error] : []
})

/** The status of a module that is over: it crashed, or the operator unloaded it. */
export const statusOfGone = (module: VerifiedModule, error: string | undefined): ModuleStatus => ({
  ...facts(module),
  status: error === undefined ? "unloaded" : "crashed",
  pid: undefined,
  restarts: 0,
  figures: undefined,
  errors: error === undefined ? [] : [error]
})

/** The status of a module that may not be loaded. */
export const statusOfRefused = (name: string, directory: string, errors: ReadonlyArray<string>): ModuleStatus => ({
  name,
  version: undefined,
  description: undefined,
  directory,
  capabilities: [],
  status: "refused",
  pid: undefined,
  restarts: 0,
  figures: undefined,
  errors
})
