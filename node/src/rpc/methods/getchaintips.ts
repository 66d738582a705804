import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../../hex.ts"
import { method } from "../method/method.ts"
import { Hex, described } from "../method/result-schema.ts"

const Tip = Schema.Struct({
  height: described(Schema.Number, "The height of the tip"),
  hash: described(Hex, "The hash of the tip"),
  branchlen: described(Schema.Number, "Blocks between the tip and the active chain; 0 for the active one"),
  status: described(
    Schema.Literals(["invalid", "headers-only", "valid-headers", "valid-fork", "active"]),
    "invalid: holds an invalid block; headers-only: some blocks are missing; valid-headers: blocks are here but were never " +
      "judged; valid-fork: judged and valid, but not active; active: the tip of the active chain"
  )
})

export const getchaintips = method({
  name: "getchaintips",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the tips of all branches of the block tree: the active chain and its forks.",
  parameters: {},
  result: Schema.Array(Tip),
  examples: [{ params: [] }],
  call: Effect.fnUntraced(function*(_, { chain }) {
    const tips = yield* chain.call("chainTips", undefined)
    return tips.map(({ branchLength, hash, height, status }) => ({
      height,
      hash: displayHash(hash),
      branchlen: branchLength,
      status
    }))
  })
})
