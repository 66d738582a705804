import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { optional, text } from "./definition/parameter.ts"
import { described } from "../answers/result-schema.ts"

const IndexInfo = Schema.Struct({
  synced: described(Schema.Boolean, "Whether it has reached the tip"),
  best_block_height: described(Schema.Number, "How far it has come")
})

export const getindexinfo = method({
  name: "getindexinfo",
  category: "util",
  privilege: "anyone",
  description: "Answers the state of the indexes that are switched on, by name.",
  parameters: { index_name: optional(text({ description: "Only the index of this name" })) },
  result: Schema.Record(Schema.String, IndexInfo),
  examples: [{ params: [] }, { params: ["txindex"] }],
  call: Effect.fnUntraced(function*({ index_name }, { chain }) {
    const indexes = yield* chain.call("indexes", undefined)
    const wanted = indexes.filter(({ name }) => index_name === undefined || index_name === "" || name === index_name)
    return Object.fromEntries(
      wanted.map(({ bestBlockHeight, name, synced }) => [name, { synced, best_block_height: bestBlockHeight }])
    )
  })
})
