import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { longInteger } from "./definition/parameter.ts"
import { invalidParameter, callError } from "../queries/call-error.ts"

/** Last second that the time of a header can express, in 2106. */
const MAX_TIME = 4_294_967_295

export const setmocktime = method({
  name: "setmocktime",
  category: "control",
  isHidden: true,
  privilege: "admin",
  description: "Stops the node's clock at a time. On regtest only. All timeouts between nodes follow it.",
  parameters: { timestamp: longInteger({ description: "Seconds since 1970; 0 lets the machine's clock run again" }) },
  result: Schema.Null,
  examples: [{ params: [1_700_000_000] }],
  call: Effect.fnUntraced(function*({ timestamp }, { chain, network }) {
    if (network.name !== "regtest") {
      return yield* Effect.fail(
        callError("Misc", "setmocktime is for regression testing (-regtest mode) only")
      )
    }
    if (timestamp < 0 || timestamp > MAX_TIME) {
      return yield* Effect.fail(invalidParameter(`Mocktime must be in the range [0, ${MAX_TIME}], not ${timestamp}.`))
    }
    yield* chain.call("setMockTime", { time: timestamp })
    return null
  })
})
