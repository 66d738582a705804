import { type Trace, type TraceInput, type TraceStep, traceStep } from "./trace.ts"

/** `lifecycle.qnt` once more, as an oracle: it agrees with each of Quint's traces. */
interface Modelled {
  readonly phase: string
  readonly row: number
  readonly wasLoaded: boolean
}

interface Outcome extends Modelled {
  readonly actions: ReadonlyArray<string>
}

const MOST_RESTARTS = 5

const crashed = ({ phase, row, wasLoaded }: Modelled, restarts: boolean, inRow: number): Outcome => {
  const before = phase === "Loaded" ? "Healthy" : "Unhealthy"
  const isLast = !restarts || inRow >= MOST_RESTARTS
  const after = isLast ? "Down" : "Unhealthy"
  const health = before === after ? [] : [`AnnounceHealth ${before} ${after}`]
  return isLast
    ? { phase: "Gone", row, wasLoaded, actions: ["AnnounceCrashed", ...health, "Remove"] }
    : {
      phase: "BackingOff",
      row: inRow + 1,
      wasLoaded,
      actions: ["AnnounceCrashed", ...health, `RestartLater ${1_000 * 2 ** inRow}`]
    }
}

const ended = (from: Modelled, restarts: boolean, isLate: boolean): Outcome => {
  const { phase, row, wasLoaded } = from
  switch (phase) {
    case "Stopping":
      return { ...from, phase: "Gone", actions: wasLoaded ? ["AnnounceUnloaded", "Remove"] : ["Remove"] }
    case "Loaded":
      return crashed(from, restarts, isLate ? 0 : row)
    case "Starting":
    case "Connected":
      return row === 0
        ? { ...from, phase: "Gone", actions: ["AnnounceCrashed", "Remove"] }
        : crashed(from, restarts, row)
    default:
      return { ...from, actions: [] }
  }
}

const unload = (from: Modelled): Outcome => {
  if (from.phase === "Stopping" || from.phase === "Gone") return { ...from, actions: [] }
  if (from.phase === "BackingOff") return { ...from, phase: "Gone", actions: ["CancelRestart", "Remove"] }
  return { ...from, phase: "Stopping", wasLoaded: from.phase === "Loaded", actions: ["Stop"] }
}

const outcomeOf = (from: Modelled, input: TraceInput, restarts: boolean): Outcome => {
  const { phase, row } = from
  const isYoung = phase === "Starting" || phase === "Connected"
  switch (input) {
    case "HandshakeDone":
      return { ...from, phase: phase === "Starting" ? "Connected" : phase, actions: [] }
    case "Subscribed":
      return isYoung
        ? {
          ...from,
          phase: "Loaded",
          actions: ["AnnounceLoaded", ...row === 0 ? [] : ["AnnounceHealth Unhealthy Healthy"]]
        }
        : { ...from, actions: [] }
    case "EndedEarly":
    case "EndedLate":
      return ended(from, restarts, input === "EndedLate")
    case "UnloadAsked":
      return unload(from)
    case "RestartDue":
      return phase === "BackingOff" ? { ...from, phase: "Starting", actions: ["Spawn"] } : { ...from, actions: [] }
  }
}

/** The steps that follow from inputs. */
export const modelledSteps = (
  inputs: ReadonlyArray<TraceInput>,
  restarts: Trace["restarts"]
): ReadonlyArray<TraceStep> => {
  let state: Modelled = { phase: "Starting", row: 0, wasLoaded: false }
  return inputs.map((input) => {
    const { actions, ...after } = outcomeOf(state, input, restarts)
    state = after
    return traceStep(input, state.phase, state, actions)
  })
}
