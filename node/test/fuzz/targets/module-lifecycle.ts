import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import { modelledSteps } from "../../modules/lifecycle/model/lifecycle-model.ts"
import { replayedSteps } from "../../modules/lifecycle/model/replayed-steps.ts"
import type { TraceInput } from "../../modules/lifecycle/model/trace.ts"
import { REGRESSIONS } from "../regressions-directory.ts"

/** What happens to a module, and whether it is started again after a crash. */
interface Life {
  readonly restarts: boolean
  readonly inputs: ReadonlyArray<TraceInput>
}

const INPUTS: ReadonlyArray<TraceInput> = [
  "HandshakeDone",
  "Subscribed",
  "EndedEarly",
  "EndedLate",
  "UnloadAsked",
  "RestartDue"
]

const MOST_INPUTS = 60

/** A life that crashes and comes back, which random inputs rarely make. */
const CRASHES: ReadonlyArray<TraceInput> = ["HandshakeDone", "Subscribed", "EndedEarly", "RestartDue"]

/** Lives of modules in any order of what may happen: the node's machine and the model of Quint do the same. */
export const moduleLifecycleTarget: Target<Life> = {
  name: "module-lifecycle",
  about: "what happens to a module, in any order, against the model of its life",
  regressions: REGRESSIONS,
  generate: (random) => ({
    restarts: !random.oneIn(4),
    inputs: Array.from(
      { length: 1 + random.below(MOST_INPUTS) },
      (_, i) => random.oneIn(3) ? random.pick(INPUTS) : CRASHES[i % CRASHES.length]!
    )
  }),
  judge: ({ inputs, restarts }) => {
    const [modelled, replayed] = [modelledSteps(inputs, restarts), replayedSteps(inputs, restarts)]
    const at = modelled.findIndex((step, i) => JSON.stringify(step) !== JSON.stringify(replayed[i]))
    return at < 0 ? undefined : `step ${at}: ${JSON.stringify(replayed[at])}, and not ${JSON.stringify(modelled[at])}`
  }
}
