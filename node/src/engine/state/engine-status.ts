import type { EngineFault, SpaceLimit } from "../api/engine-error.ts"
import { lowSpaceText } from "../api/fault-text.ts"

type Running = { readonly _tag: "Running" }
type LowSpace = Extract<EngineFault, { readonly _tag: "LowSpace" }>

/** Whether the engine accepts changes, and why it does not. */
export type EngineStatus =
  | Running
  /** Changes are refused until there is more space. */
  | LowSpace
  /** A write waits for space on a full disk. `after`: what the space watch says meanwhile. */
  | { readonly _tag: "Paused"; readonly cause: string; readonly after: Running | LowSpace }
  /** Long tasks end at the next block, and no change is accepted. Final, unless it breaks. */
  | Extract<EngineFault, { readonly _tag: "Closing" }>
  /** Nothing may change any more: what is on disk is the last commit. Final. */
  | Extract<EngineFault, { readonly _tag: "Broken" }>

interface Conditioned {
  status: EngineStatus
}

export const RUNNING: Running = { _tag: "Running" }

/** Whether the engine is about to end, for whatever reason. */
export const isEnding = ({ status }: Conditioned): boolean => status._tag === "Closing" || status._tag === "Broken"

/** Why no change is accepted for want of space; none: there is space, or the engine is ending. */
export const spaceFault = ({ status }: Conditioned): LowSpace | undefined => {
  const watched = status._tag === "Paused" ? status.after : status
  return watched._tag === "LowSpace" ? watched : undefined
}

/** Why no change is written for the time being, in a sentence. None: changes are written, or never again. */
export const haltedBecause = (engine: Conditioned): string | undefined => {
  const { status } = engine
  return status._tag === "Paused" ? status.cause : status._tag === "LowSpace" ? lowSpaceText(status) : undefined
}

/** What the space watch says: too little, or enough. */
export const setSpace = (engine: Conditioned, limit: SpaceLimit | undefined): void => {
  const { status } = engine
  const watched = limit === undefined ? RUNNING : { _tag: "LowSpace" as const, ...limit }
  if (status._tag === "Paused") engine.status = { ...status, after: watched }
  else if (!isEnding(engine)) engine.status = watched
}

/** A write begins to wait for space. */
export const setPaused = (engine: Conditioned, cause: string): void => {
  const { status } = engine
  if (status._tag === "Running" || status._tag === "LowSpace") engine.status = { _tag: "Paused", cause, after: status }
}

/** The write that waited is done. */
export const setResumed = (engine: Conditioned): void => {
  if (engine.status._tag === "Paused") engine.status = engine.status.after
}

/** The node stops. */
export const setClosing = (engine: Conditioned): void => {
  if (engine.status._tag !== "Broken") engine.status = { _tag: "Closing" }
}
