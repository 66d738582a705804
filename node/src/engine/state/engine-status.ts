import type { EngineFault, SpaceLimit } from "../api/engine-error.ts"
import { lowSpaceText } from "../api/fault-text.ts"

type Running = { readonly _tag: "Running" }
type LowSpace = Extract<EngineFault, { readonly _tag: "LowSpace" }>

/** The status of the engine: it accepts changes, or the reason why it does not. */
export type EngineStatus =
  | Running
  /** Changes are rejected until there is more space. */
  | LowSpace
  /** A write waits for space on a full disk. `after` is the latest report of the space watch. */
  | { readonly _tag: "Paused"; readonly cause: string; readonly after: Running | LowSpace }
  /** Long tasks end at the next block, and no change is accepted. Final, unless the engine breaks. */
  | Extract<EngineFault, { readonly _tag: "Closing" }>
  /** Nothing may change any more: the disk has the last commit. Final. */
  | Extract<EngineFault, { readonly _tag: "Broken" }>

interface Conditioned {
  status: EngineStatus
}

export const RUNNING: Running = { _tag: "Running" }

/** Reports whether the engine is about to end, for any reason. */
export const isEnding = ({ status }: Conditioned): boolean => status._tag === "Closing" || status._tag === "Broken"

/** Returns the space limit because of which no change is accepted, or `undefined`. */
export const spaceFault = ({ status }: Conditioned): LowSpace | undefined => {
  const watched = status._tag === "Paused" ? status.after : status
  return watched._tag === "LowSpace" ? watched : undefined
}

/**
 * Describes in one sentence why no change is written at present. Returns `undefined` if changes are written, or never
 * will be again.
 */
export const haltedBecause = (engine: Conditioned): string | undefined => {
  const { status } = engine
  return status._tag === "Paused" ? status.cause : status._tag === "LowSpace" ? lowSpaceText(status) : undefined
}

/** Records the report of the space watch: too little space, or enough. */
export const setSpace = (engine: Conditioned, limit: SpaceLimit | undefined): void => {
  const { status } = engine
  const watched = limit === undefined ? RUNNING : { _tag: "LowSpace" as const, ...limit }
  if (status._tag === "Paused") engine.status = { ...status, after: watched }
  else if (!isEnding(engine)) engine.status = watched
}

/** Records that a write begins to wait for space. */
export const setPaused = (engine: Conditioned, cause: string): void => {
  const { status } = engine
  if (status._tag === "Running" || status._tag === "LowSpace") engine.status = { _tag: "Paused", cause, after: status }
}

/** Records that the waiting write is done. */
export const setResumed = (engine: Conditioned): void => {
  if (engine.status._tag === "Paused") engine.status = engine.status.after
}

/** Records that the node stops. */
export const setClosing = (engine: Conditioned): void => {
  if (engine.status._tag !== "Broken") engine.status = { _tag: "Closing" }
}
