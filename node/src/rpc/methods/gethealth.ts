import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { COMPONENTS, STATUSES } from "../../health/component-health.ts"
import { method } from "../method/method.ts"
import { maybe, Time, told } from "../method/result-schema.ts"

const Status = Schema.Literals(STATUSES)

const ComponentHealth = Schema.Struct({
  component: told(Schema.Literals(COMPONENTS), "The part of the node"),
  status: told(Status, "How well it does its work"),
  message: maybe(Schema.String, "What an operator should know, unless it is healthy"),
  since: told(Time, "Since when its status has been that"),
  last_check: told(Time, "When it was looked at"),
  response_time_ms: maybe(Schema.Number, "How long the engine took to answer (chain only)")
})

const Report = Schema.Struct({
  overall_status: told(Status, "The worst status of a component"),
  components: told(Schema.Array(ComponentHealth), "Every part that is looked at"),
  timestamp: told(Time, "When the node was looked at"),
  uptime_seconds: told(Schema.Number, "Seconds since the node started")
})

export const gethealth = method({
  name: "gethealth",
  category: "control",
  privilege: "anyone",
  description: "Looks at the parts of the node and answers how well they do their work.",
  parameters: {},
  result: Report,
  examples: [{ params: [] }],
  call: (_, { health }) =>
    Effect.map(health.check("manual"), (report) => ({ ...report, components: report.components.map((each) => ({ ...each })) }))
})
