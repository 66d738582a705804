import type { Milliseconds } from "../../quantities.ts"

/** Phase of a module's life. `restarts` counts its restarts since it last ran long enough. */
export type ModulePhase =
  /** The process was started and has not completed the handshake. */
  | { readonly _tag: "Starting"; readonly restarts: number }
  /** The handshake is complete; the module may not have subscribed to events yet. */
  | { readonly _tag: "Connected"; readonly restarts: number }
  /** The module runs, and other modules know of it. */
  | { readonly _tag: "Loaded"; readonly restarts: number; readonly since: Milliseconds }
  /** The module was asked to stop. */
  | { readonly _tag: "Stopping"; readonly wasLoaded: boolean }
  /** The module crashed and is restarted later. */
  | { readonly _tag: "BackingOff"; readonly restarts: number; readonly error: string }
  /** The module has ended; the error is set if it crashed. */
  | { readonly _tag: "Gone"; readonly error: string | undefined }

/** Phase of a module in one word. */
export type ModulePhaseWord = "starting" | "connected" | "loaded" | "stopping" | "backing off" | "unloaded"

export const PHASE_WORDS: Readonly<Record<ModulePhase["_tag"], ModulePhaseWord>> = {
  Starting: "starting",
  Connected: "connected",
  Loaded: "loaded",
  Stopping: "stopping",
  BackingOff: "backing off",
  Gone: "unloaded"
}

/** Input that changes the phase of a module. */
export type ModuleInput =
  | { readonly _tag: "HandshakeDone" }
  /** The module subscribed to events; one that may not subscribe gets this input after the handshake. */
  | { readonly _tag: "Subscribed"; readonly at: Milliseconds }
  | { readonly _tag: "Ended"; readonly reason: string; readonly at: Milliseconds }
  | { readonly _tag: "UnloadAsked" }
  | { readonly _tag: "RestartDue" }

type Health = "Healthy" | "Unhealthy" | "Down"

/** Actions that follow from an input, in this order. */
export type ModuleAction =
  | { readonly _tag: "Spawn" }
  /** Ends the connection, and the process after a while. */
  | { readonly _tag: "Stop" }
  | { readonly _tag: "RestartLater"; readonly delay: Milliseconds }
  | { readonly _tag: "CancelRestart" }
  | { readonly _tag: "AnnounceLoaded" }
  | { readonly _tag: "AnnounceUnloaded" }
  | { readonly _tag: "AnnounceCrashed"; readonly error: string }
  | { readonly _tag: "AnnounceHealth"; readonly before: Health; readonly after: Health }
  | { readonly _tag: "Remove" }

/** A new state and the actions on the way to it. */
export interface Transition {
  readonly state: ModulePhase
  readonly actions: ReadonlyArray<ModuleAction>
}

/** Settings of the operator for restarts. */
export interface RestartRules {
  readonly restartsCrashed: boolean
}

/** Consecutive restarts after which the node gives up on a module. */
export const MOST_RESTARTS = 5

/** A module that ran this long starts a new count of restarts. */
export const STABLE_MS = 600_000

const FIRST_DELAY_MS = 1_000

/** Returns the wait before a restart, which doubles: 1, 2, 4, 8 and 16 seconds. */
export const restartDelay = (restart: number): Milliseconds => FIRST_DELAY_MS * 2 ** (restart - 1)

/** The first state of a module. */
export const FIRST: Transition = { state: { _tag: "Starting", restarts: 0 }, actions: [{ _tag: "Spawn" }] }

const stay = (state: ModulePhase): Transition => ({ state, actions: [] })

const subscribed = (state: ModulePhase, at: Milliseconds): Transition => {
  // A module may subscribe before the node has recorded its handshake.
  if (state._tag !== "Connected" && state._tag !== "Starting") return stay(state)
  const recovered: ReadonlyArray<ModuleAction> = state.restarts === 0
    ? []
    : [{ _tag: "AnnounceHealth", before: "Unhealthy", after: "Healthy" }]
  return {
    state: { _tag: "Loaded", restarts: state.restarts, since: at },
    actions: [{ _tag: "AnnounceLoaded" }, ...recovered]
  }
}

/**
 * Returns the restarts that count when a module crashes, or `undefined` if it was never loaded. In that case the caller
 * that loads it decides.
 */
const restartsBefore = (state: ModulePhase, at: Milliseconds): number | undefined => {
  switch (state._tag) {
    case "Loaded":
      return at - state.since >= STABLE_MS ? 0 : state.restarts
    case "Starting":
    case "Connected":
      return state.restarts === 0 ? undefined : state.restarts
    default:
      return undefined
  }
}

const healthAfterCrash = (state: ModulePhase, after: Health): ReadonlyArray<ModuleAction> => {
  const before = state._tag === "Loaded" ? "Healthy" : "Unhealthy"
  return before === after ? [] : [{ _tag: "AnnounceHealth", before, after }]
}

const crashed = (state: ModulePhase, error: string, at: Milliseconds, rules: RestartRules): Transition => {
  const announced: ModuleAction = { _tag: "AnnounceCrashed", error }
  const restarts = restartsBefore(state, at)
  if (restarts === undefined) return { state: { _tag: "Gone", error }, actions: [announced, { _tag: "Remove" }] }
  if (!rules.restartsCrashed || restarts >= MOST_RESTARTS) {
    return {
      state: { _tag: "Gone", error },
      actions: [announced, ...healthAfterCrash(state, "Down"), { _tag: "Remove" }]
    }
  }
  return {
    state: { _tag: "BackingOff", restarts: restarts + 1, error },
    actions: [
      announced,
      ...healthAfterCrash(state, "Unhealthy"),
      { _tag: "RestartLater", delay: restartDelay(restarts + 1) }
    ]
  }
}

const ended = (state: ModulePhase, error: string, at: Milliseconds, rules: RestartRules): Transition => {
  switch (state._tag) {
    case "Stopping":
      return {
        state: { _tag: "Gone", error: undefined },
        actions: [...state.wasLoaded ? [{ _tag: "AnnounceUnloaded" } as const] : [], { _tag: "Remove" }]
      }
    case "BackingOff":
    case "Gone":
      return stay(state)
    default:
      return crashed(state, error, at, rules)
  }
}

const unloadAsked = (state: ModulePhase): Transition => {
  switch (state._tag) {
    case "Stopping":
    case "Gone":
      return stay(state)
    case "BackingOff":
      return {
        state: { _tag: "Gone", error: state.error },
        actions: [{ _tag: "CancelRestart" }, { _tag: "Remove" }]
      }
    default:
      return { state: { _tag: "Stopping", wasLoaded: state._tag === "Loaded" }, actions: [{ _tag: "Stop" }] }
  }
}

/** Returns the transition for an input. An input that comes too late changes nothing. */
export const transition = (state: ModulePhase, input: ModuleInput, rules: RestartRules): Transition => {
  switch (input._tag) {
    case "HandshakeDone":
      return stay(state._tag === "Starting" ? { _tag: "Connected", restarts: state.restarts } : state)
    case "Subscribed":
      return subscribed(state, input.at)
    case "Ended":
      return ended(state, input.reason, input.at, rules)
    case "UnloadAsked":
      return unloadAsked(state)
    case "RestartDue":
      return state._tag === "BackingOff"
        ? { state: { _tag: "Starting", restarts: state.restarts }, actions: [{ _tag: "Spawn" }] }
        : stay(state)
  }
}
