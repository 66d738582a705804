import * as Effect from "effect/Effect"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { Hex } from "../answers/result-schema.ts"

export const getbestblockhash = method({
  name: "getbestblockhash",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the hash of the tip of the best chain of valid blocks.",
  parameters: {},
  result: Hex.annotate({ description: "The hash" }),
  examples: [{ params: [] }],
  call: (_, { chain }) => Effect.succeed(displayHash(chain.state().hash))
})
