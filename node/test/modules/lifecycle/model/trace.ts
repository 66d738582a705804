/** What happens to a module; an end is early or late by whether it ran for ten minutes. */
export type TraceInput = "HandshakeDone" | "Subscribed" | "EndedEarly" | "EndedLate" | "UnloadAsked" | "RestartDue"

/** One step of a trace: what happened, where the module then is, and what the node does, each with its details behind it. */
export interface TraceStep {
  readonly input: TraceInput
  readonly phase: string
  /** Starts in a row, where the phase knows them. */
  readonly row?: number
  /** Where the module is stopping. */
  readonly wasLoaded?: boolean
  readonly actions: ReadonlyArray<string>
}

/** A life of a module. */
export interface Trace {
  readonly restarts: boolean
  readonly steps: ReadonlyArray<TraceStep>
}

const KNOWS_ROW = new Set(["Starting", "Connected", "Loaded", "BackingOff"])

/** A step without what its phase does not know. */
export const traceStep = (
  input: TraceInput,
  phase: string,
  { row, wasLoaded }: { readonly row: number; readonly wasLoaded: boolean },
  actions: ReadonlyArray<string>
): TraceStep => ({
  input,
  phase,
  ...KNOWS_ROW.has(phase) ? { row } : {},
  ...phase === "Stopping" ? { wasLoaded } : {},
  actions
})
