import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { bitsText, difficultyOf, targetText } from "../decode/header-json.ts"
import { displayHash } from "../decode/hex.ts"
import { method } from "../method/method.ts"
import { Hex, told } from "../method/result-schema.ts"

const ChainStateJson = Schema.Struct({
  blocks: told(Schema.Number, "The height of its tip"),
  bestblockhash: told(Hex, "Its tip"),
  bits: told(Hex, "The tip's target in compact form"),
  target: told(Hex, "The tip's target"),
  difficulty: told(Schema.Number, "The tip's difficulty"),
  verificationprogress: told(Schema.Number, "How much of the chain is verified, 0 to 1"),
  coins_db_cache_bytes: told(Schema.Number, "Memory for coins in the store; the operating system sees to it, so 0"),
  coins_tip_cache_bytes: told(Schema.Number, "Memory that coins may take"),
  validated: told(Schema.Boolean, "Whether every block of it was judged here")
})

const States = Schema.Struct({
  headers: told(Schema.Number, "The height of the best chain of headers"),
  chainstates: told(Schema.Array(ChainStateJson), "The states, most work last; this node keeps one")
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
