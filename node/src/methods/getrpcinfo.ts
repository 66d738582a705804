import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { described } from "../answers/result-schema.ts"

const Command = Schema.Struct({
  method: described(Schema.String, "The name of the method"),
  duration: described(Schema.Number, "Microseconds since it was called")
})

const Info = Schema.Struct({
  active_commands: described(Schema.Array(Command), "Calls that are not answered yet, this one among them"),
  logpath: described(Schema.String, "The log file; empty when the log goes to standard output alone")
})

export const getrpcinfo = method({
  name: "getrpcinfo",
  category: "control",
  privilege: "anyone",
  description: "Answers what the RPC server is doing.",
  parameters: {},
  result: Info,
  examples: [{ params: [] }],
  call: (_, { activeCalls, log }) =>
    Effect.sync(() => ({
      active_commands: activeCalls.list().map((call) => ({ method: call.method, duration: call.microseconds })),
      logpath: log.file ?? ""
    }))
})
