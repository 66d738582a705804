import * as Effect from "effect/Effect"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { integer } from "./definition/parameter.ts"
import { Hex } from "../answers/result-schema.ts"
import { hashAtHeight } from "../queries/block-lookup.ts"

export const getblockhash = method({
  name: "getblockhash",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the hash of the block at a height of the active chain.",
  parameters: { height: integer({ description: "The height" }) },
  result: Hex.annotate({ description: "The hash" }),
  examples: [{ params: [1000] }],
  call: ({ height }, node) => Effect.map(hashAtHeight(node, height), displayHash)
})
