import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { Amount, described } from "../answers/result-schema.ts"

const Point = Schema.Struct({
  weight: described(Schema.Number, "The weight of all chunks up to here, as they are charged for"),
  fee: described(Amount, "Their modified fees in BTC")
})

export const getmempoolfeeratediagram = method({
  name: "getmempoolfeeratediagram",
  category: "blockchain",
  isHidden: true,
  privilege: "anyone",
  description:
    "Answers the feerate diagram of the mempool: a point for each chunk, in the order in which they are mined.",
  parameters: {},
  result: Schema.Array(Point),
  examples: [{ params: [] }],
  call: (_, { chain }) =>
    Effect.map(
      chain.call("feerateDiagram", undefined),
      (points) => points.map(({ fee, weight }) => ({ weight, fee: amount(fee) }))
    )
})
