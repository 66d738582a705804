import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../decode/hex.ts"
import { method } from "../method/method.ts"
import { Hex, told } from "../method/result-schema.ts"

const Tip = Schema.Struct({
  height: told(Schema.Number, "The height of the tip"),
  hash: told(Hex, "The hash of the tip"),
  branchlen: told(Schema.Number, "Blocks between the tip and the active chain; 0 for the active one"),
  status: told(
    Schema.Literals(["invalid", "headers-only", "valid-headers", "valid-fork", "active"]),
    "invalid: holds an invalid block; headers-only: some blocks are missing; valid-headers: blocks are here but were never " +
      "judged; valid-fork: judged and valid, but not active; active: the tip of the active chain"
  )
})

export const getchaintips = method({
  name: "getchaintips",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the tips of all branches of the block tree: the active chain and those left behind.",
  parameters: {},
  result: Schema.Array(Tip),
  examples: [{ params: [] }],
  call: Effect.fnUntraced(function*(_, { chain }) {
    const tips = yield* chain.call("chainTips", undefined)
    return tips.map(({ branchLength, hash, height, status }) =>
      ({ height, hash: displayHash(hash), branchlen: branchLength, status }))
  })
})
