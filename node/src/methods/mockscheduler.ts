import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { longInteger } from "./definition/parameter.ts"
import { callError } from "../queries/call-error.ts"

/** Minimum and maximum, in seconds. */
const [SHORTEST, LONGEST] = [1, 3_600]

export const mockscheduler = method({
  name: "mockscheduler",
  category: "control",
  isHidden: true,
  privilege: "admin",
  description: [
    "Moves the node's periodic tasks forward. On regtest only.",
    "Unbroadcast transactions are announced again, fee estimates and addresses of nodes are saved, each if it is due then."
  ].join("\n"),
  parameters: { delta_time: longInteger({ description: "Seconds to move them forward by, 1 to 3600" }) },
  result: Schema.Null,
  examples: [{ params: [900] }],
  call: Effect.fnUntraced(function*({ delta_time: seconds }, { chain, network, peers }) {
    if (network.name !== "regtest") {
      return yield* Effect.fail(
        callError("Misc", "mockscheduler is for regression testing (-regtest mode) only")
      )
    }
    if (seconds < SHORTEST || seconds > LONGEST) {
      return yield* Effect.fail(
        callError("Misc", "delta_time must be between 1 and 3600 seconds (1 hr)")
      )
    }
    const milliseconds = seconds * 1_000
    yield* chain.call("moveScheduler", { milliseconds })
    peers()?.environment.scheduler?.moveForward(milliseconds)
    return null
  })
})
