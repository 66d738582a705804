import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"

export const getblockcount = method({
  name: "getblockcount",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the height of the best chain of valid blocks. The genesis block has height 0.",
  parameters: {},
  result: Schema.Number.annotate({ description: "The height" }),
  examples: [{ params: [] }],
  call: (_, { chain }) => Effect.succeed(chain.state().height)
})
