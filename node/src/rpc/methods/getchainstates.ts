import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { bitsText, difficultyOf, targetText } from "../decode/header-json.ts"
import { displayHash } from "../../hex.ts"
import { method } from "../method/method.ts"
import { Hex, described } from "../method/result-schema.ts"

const ChainStateJson = Schema.Struct({
  blocks: described(Schema.Number, "The height of its tip"),
  bestblockhash: described(Hex, "Its tip"),
  bits: described(Hex, "The tip's target in compact form"),
  target: described(Hex, "The tip's target"),
  difficulty: described(Schema.Number, "The tip's difficulty"),
  verificationprogress: described(Schema.Number, "How much of the chain is verified, 0 to 1"),
  coins_db_cache_bytes: described(
    Schema.Number,
    "Memory for coins in the store; the operating system sees to it, so 0"
  ),
  coins_tip_cache_bytes: described(Schema.Number, "Memory that coins may take"),
  validated: described(Schema.Boolean, "Whether every block of it was judged here")
})

const States = Schema.Struct({
  headers: described(Schema.Number, "The height of the best chain of headers"),
  chainstates: described(Schema.Array(ChainStateJson), "The states, most work last; this node keeps one")
})

export const getchainstates = method({
  name: "getchainstates",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the states of the chain that are kept.",
  parameters: {},
  result: States,
  examples: [{ params: [] }],
  call: (_, { chain, coinCacheBytes }) => {
    const { bits, hash, headersHeight, height, progress } = chain.state()
    return Effect.succeed({
      headers: headersHeight,
      chainstates: [{
        blocks: height,
        bestblockhash: displayHash(hash),
        bits: bitsText(bits),
        target: targetText(bits),
        difficulty: difficultyOf(bits),
        verificationprogress: progress,
        coins_db_cache_bytes: 0,
        coins_tip_cache_bytes: coinCacheBytes,
        validated: true
      }]
    })
  }
})
