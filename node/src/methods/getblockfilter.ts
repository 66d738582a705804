import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash, hexOf } from "../hex.ts"
import { method } from "./definition/method.ts"
import { hash, optionalWith, text } from "./definition/parameter.ts"
import { Hex, described } from "../answers/result-schema.ts"
import { knownBlock } from "../queries/block-lookup.ts"
import { filterIndexState, filterOf } from "../queries/block-filters.ts"
import { settingName } from "../front/setting-name.ts"

const Filter = Schema.Struct({
  filter: described(Hex, "The filter"),
  header: described(Hex, "Its header, which vouches for all filters up to this one")
})

const EXAMPLE = "00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"

export const getblockfilter = method({
  name: "getblockfilter",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Answers the filter of a block (BIP157, BIP158): it shows light clients whether the block has something for them. Needs",
    `${settingName("[storage.indexing].blockfilterindex")}.`
  ].join("\n"),
  parameters: {
    blockhash: hash({ description: "The hash of the block" }),
    filtertype: optionalWith(text({ description: "The kind of filter; there is one" }), "basic")
  },
  result: Filter,
  examples: [{ params: [EXAMPLE] }, { params: [EXAMPLE, "basic"] }],
  call: Effect.fnUntraced(function*({ blockhash, filtertype }, node) {
    const index = yield* filterIndexState(filtertype, node)
    const { filter, header } = yield* filterOf(node, yield* knownBlock(node, blockhash), index)
    return { filter: hexOf(filter), header: displayHash(header) }
  })
})
