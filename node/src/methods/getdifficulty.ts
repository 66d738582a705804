import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { difficultyOf } from "../answers/header-json.ts"
import { method } from "./definition/method.ts"

export const getdifficulty = method({
  name: "getdifficulty",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers how hard the tip's target is to meet, as a multiple of the easiest target of the main network.",
  parameters: {},
  result: Schema.Number.annotate({ description: "The difficulty" }),
  examples: [{ params: [] }],
  call: (_, { chain }) => Effect.succeed(difficultyOf(chain.state().bits))
})
