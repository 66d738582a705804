import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "../method/method.ts"

export const stop = method({
  name: "stop",
  category: "control",
  privilege: "admin",
  description: "Asks the node to stop. The answer comes first; everything is written to disk before the process ends.",
  parameters: {},
  result: Schema.String.annotate({ description: "That the node is stopping" }),
  examples: [{ params: [] }],
  call: (_, { shutdown }) => Effect.as(shutdown.request("rpc"), "Lockstep stopping")
})
