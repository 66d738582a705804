import {
  FIRST,
  type ModuleAction,
  type ModuleInput,
  STABLE_MS,
  transition
} from "../../../../src/modules/lifecycle/module-state.ts"
import { type TraceInput, type TraceStep, traceStep } from "./trace.ts"

const inputOf = (input: TraceInput, now: number): ModuleInput => {
  switch (input) {
    case "Subscribed":
      return { _tag: input, at: now }
    case "EndedEarly":
      return { _tag: "Ended", reason: "", at: now + STABLE_MS - 1 }
    case "EndedLate":
      return { _tag: "Ended", reason: "", at: now + STABLE_MS }
    default:
      return { _tag: input }
  }
}

const actionText = (action: ModuleAction): string => {
  switch (action._tag) {
    case "RestartLater":
      return `${action._tag} ${action.delay}`
    case "AnnounceHealth":
      return `${action._tag} ${action.before} ${action.after}`
    default:
      return action._tag
  }
}

/** The steps that the node's own machine makes of inputs. The clock stands still until a process ends. */
export const replayedSteps = (inputs: ReadonlyArray<TraceInput>, restarts: boolean): ReadonlyArray<TraceStep> => {
  let { state } = FIRST
  return inputs.map((input) => {
    const next = transition(state, inputOf(input, 0), { restartsCrashed: restarts })
    state = next.state
    const row = "restarts" in state ? state.restarts : 0
    return traceStep(
      input,
      state._tag,
      { row, wasLoaded: "wasLoaded" in state && state.wasLoaded },
      next.actions.map(actionText)
    )
  })
}
