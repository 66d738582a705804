import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { COMPONENTS, STATUSES } from "../health/component-health.ts"
import { method } from "./definition/method.ts"
import { optionalDescribed, Time, described } from "../answers/result-schema.ts"

const Status = Schema.Literals(STATUSES)

const ComponentHealth = Schema.Struct({
  component: described(Schema.Literals(COMPONENTS), "The part of the node"),
  status: described(Status, "How well it does its work"),
  message: optionalDescribed(Schema.String, "What an operator should know, unless it is healthy"),
  since: described(Time, "Since when its status has been that"),
  last_check: described(Time, "When it was checked"),
  response_time_ms: optionalDescribed(Schema.Number, "How long the engine took to answer (chain only)")
})

const Report = Schema.Struct({
  overall_status: described(Status, "The worst status of a component"),
  components: described(Schema.Array(ComponentHealth), "Every part that is checked"),
  timestamp: described(Time, "When the node was checked"),
  uptime_seconds: described(Schema.Number, "Seconds since the node started")
})

export const gethealth = method({
  name: "gethealth",
  category: "lockstep",
  privilege: "anyone",
  description: "Checks the parts of the node and answers their health.",
  parameters: {},
  result: Report,
  examples: [{ params: [] }],
  call: (_, { health }) =>
    Effect.map(
      health.check("manual"),
      (report) => ({ ...report, components: report.components.map((each) => ({ ...each })) })
    )
})
