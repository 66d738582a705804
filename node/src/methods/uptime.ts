import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"

export const uptime = method({
  name: "uptime",
  category: "control",
  privilege: "anyone",
  description: "Answers how long the node has been running.",
  parameters: {},
  result: Schema.Number.annotate({ description: "Seconds since it started" }),
  examples: [{ params: [] }],
  call: (_, { uptimeSeconds }) => Effect.sync(uptimeSeconds)
})
