import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { blockJson, BlockWithIds, BlockWithTransactions } from "../answers/block-json.ts"
import { JsonBytes } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { hash, optionalWith, verbosity } from "./definition/parameter.ts"
import { variant, LongHex } from "../answers/result-schema.ts"
import { knownBlock, readBlockBytes } from "../queries/block-lookup.ts"

const EXAMPLE = "00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"

export const getblock = method({
  name: "getblock",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Answers a block: its bytes (verbosity 0), its header with the ids of its transactions (1), with the transactions",
    "themselves (2), and with the outputs they spend (3)."
  ].join("\n"),
  parameters: {
    blockhash: hash({ description: "The hash of the block" }),
    verbosity: optionalWith(verbosity({ description: "How much to answer: 0 to 3", aliases: ["verbose"] }), 1)
  },
  result: Schema.Union([
    variant("verbosity=0", LongHex),
    variant("verbosity=1", BlockWithIds),
    variant("verbosity=2 or 3", BlockWithTransactions)
  ]),
  examples: [{ params: [EXAMPLE] }, { params: [EXAMPLE, 2] }],
  call: Effect.fnUntraced(function*({ blockhash, verbosity: level }, node) {
    const facts = yield* knownBlock(node, blockhash)
    if (level <= 0) return new JsonBytes(yield* readBlockBytes(node, facts))
    return yield* blockJson(node, facts, level === 1 ? "ids" : level === 2 ? "transactions" : "prevouts")
  })
})
