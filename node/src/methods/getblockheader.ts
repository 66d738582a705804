import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { HeaderJson, headerJson } from "../answers/header-json.ts"
import { hexOf } from "../hex.ts"
import { method } from "./definition/method.ts"
import { boolean, hash, optionalWith } from "./definition/parameter.ts"
import { Hex, variant } from "../answers/result-schema.ts"
import { knownBlock } from "../queries/block-lookup.ts"

const EXAMPLE = "00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"

export const getblockheader = method({
  name: "getblockheader",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the header of a block and what is known of its place in the chain, or its 80 bytes.",
  parameters: {
    blockhash: hash({ description: "The hash of the block", called: "hash" }),
    verbose: optionalWith(boolean({ description: "false: only the bytes, in hexadecimal digits" }), true)
  },
  result: Schema.Union([variant("verbose=true", HeaderJson), variant("verbose=false", Hex)]),
  examples: [{ params: [EXAMPLE] }, { params: [EXAMPLE, false] }],
  call: Effect.fnUntraced(function*({ blockhash, verbose }, node) {
    const facts = yield* knownBlock(node, blockhash)
    return verbose ? headerJson(facts) : hexOf(facts.header)
  })
})
