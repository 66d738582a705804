import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "../method/method.ts"
import { longInteger } from "../method/parameter.ts"
import { invalidParameter, rpcError, RpcErrorCode } from "../rpc-error.ts"

/** The last second that 63 bits of nanoseconds reach. */
const MAX_TIME = 9_223_372_036

export const setmocktime = method({
  name: "setmocktime",
  category: "control",
  privilege: "admin",
  description: "Stops the node's clock at a time. On regtest only. What waits between nodes goes by the machine's clock, and by each step forward of this one.",
  parameters: { timestamp: longInteger({ description: "Seconds since 1970; 0 lets the machine's clock run again" }) },
  result: Schema.Null,
  examples: [{ params: [1_700_000_000] }],
  call: Effect.fnUntraced(function*({ timestamp }, { chain, network, peers }) {
    if (network.name !== "regtest") {
      return yield* Effect.fail(rpcError(RpcErrorCode.misc, "setmocktime is for regression testing (-regtest mode) only"))
    }
    if (timestamp < 0 || timestamp > MAX_TIME) {
      return yield* Effect.fail(invalidParameter(`Mocktime must be in the range [0, ${MAX_TIME}], not ${timestamp}.`))
    }
    yield* chain.call("setMockTime", { time: timestamp })
    peers()?.clockSet()
    return null
  })
})
