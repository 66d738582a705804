import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { hidden, optional, unsigned } from "./definition/parameter.ts"

/** Maximum delay of the answer in milliseconds. Soon after it, connections are closed even without an answer. */
const MOST_WAIT_MS = 1_000

export const stop = method({
  name: "stop",
  category: "control",
  privilege: "admin",
  description: "Asks the node to stop. The answer comes first; everything is written to disk before the process ends.",
  parameters: { wait: hidden(optional(unsigned({ description: "Milliseconds until the answer" }))) },
  result: Schema.String.annotate({ description: "That the node is stopping" }),
  examples: [{ params: [] }],
  call: Effect.fnUntraced(function*({ wait = 0 }, { programName, shutdown }) {
    yield* shutdown.request("rpc")
    if (wait > 0) yield* Effect.sleep(Math.min(wait, MOST_WAIT_MS))
    return `${programName} stopping`
  })
})
