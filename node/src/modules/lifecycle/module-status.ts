import type { VerifiedModule } from "../registry/discover.ts"
import { CUT_OFF } from "./announce.ts"
import { type ModulePhaseWord, PHASE_WORDS } from "./module-state.ts"
import type { ProcessFigures } from "./spawn.ts"
import type { SupervisedModule } from "./supervisor.ts"

/** Status of a module in one word. */
export type ModuleStatusWord = ModulePhaseWord | "crashed" | "reconnecting" | "refused"

/** Status of one module. */
export interface ModuleStatus {
  /** Name of the module; of a refused module, the name of its directory. */
  readonly name: string
  readonly version: string | undefined
  readonly description: string | undefined
  readonly directory: string
  readonly capabilities: ReadonlyArray<string>
  readonly status: ModuleStatusWord
  readonly pid: number | undefined
  /** Number of restarts since the module last ran long enough. */
  readonly restarts: number
  /** Figures of the present process; `undefined` before the handshake. */
  readonly figures: ProcessFigures | undefined
  /** Reasons why the module does not run. */
  readonly errors: ReadonlyArray<string>
}

const facts = ({ directory, manifest }: VerifiedModule) => ({
  name: manifest.name,
  version: manifest.versionText,
  description: manifest.description,
  directory,
  capabilities: manifest.capabilities
})

/** Returns the status of a module that the supervisor runs. */
export const statusOf = ({ connected, isCutOff, module, state }: SupervisedModule): ModuleStatus => ({
  ...facts(module),
  status: isCutOff ? CUT_OFF : PHASE_WORDS[state._tag],
  pid: connected?.pid,
  restarts: "restarts" in state ? state.restarts : 0,
  figures: connected?.figures(),
  errors: "error" in state && state.error !== undefined ? [state.error] : []
})

/** Returns the status of a module that has ended: it crashed, or the operator unloaded it. */
export const statusOfGone = (module: VerifiedModule, error: string | undefined): ModuleStatus => ({
  ...facts(module),
  status: error === undefined ? "unloaded" : "crashed",
  pid: undefined,
  restarts: 0,
  figures: undefined,
  errors: error === undefined ? [] : [error]
})

/** Returns the status of a module that must not be loaded. */
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
