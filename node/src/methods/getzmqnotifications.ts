import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { described } from "../answers/result-schema.ts"

const Notification = Schema.Struct({
  type: described(Schema.String, "What is published: pub and the topic"),
  address: described(Schema.String, "Where"),
  hwm: described(Schema.Number, "How many messages wait for a subscriber that does not read; 0: without a limit")
})

export const getzmqnotifications = method({
  name: "getzmqnotifications",
  category: "zmq",
  privilege: "anyone",
  description: "Lists what is published through ZeroMQ.",
  parameters: {},
  result: Schema.Array(Notification),
  examples: [{ params: [] }],
  call: (_, { notifiers }) =>
    Effect.sync(() =>
      notifiers.map(({ address, highWater, topic }) => ({ type: `pub${topic}`, address, hwm: highWater }))
    )
})
