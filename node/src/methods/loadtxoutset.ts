import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { resolve } from "node:path"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { described, Hex } from "../answers/result-schema.ts"

const Loaded = Schema.Struct({
  coins_loaded: described(Schema.Number, "Coins in the file"),
  tip_hash: described(Hex, "The block where they are unspent: the tip now"),
  base_height: described(Schema.Number, "Its height"),
  path: described(Schema.String, "The file, with its path")
})

export const loadtxoutset = method({
  name: "loadtxoutset",
  category: "blockchain",
  privilege: "admin",
  description: [
    "Loads coins from a file that dumptxoutset wrote, of a block that this version knows the coins of. That block becomes",
    "the tip, so that the node is in use soon. The chain up to it is fetched and validated behind; getchainstates shows",
    "how far that is. In the end the coins are compared, and if they differ the node stops and drops what it loaded."
  ].join("\n"),
  parameters: {
    path: text({ description: "The file to read; it is looked for in the data directory unless its path is whole" })
  },
  result: Loaded,
  examples: [{ params: ["utxo.dat"] }],
  call: Effect.fnUntraced(function*({ path: given }, node) {
    const path = resolve(node.dataDirectory, given)
    const { block, coins, height } = yield* node.chain.call("loadCoins", { file: path })
    return { coins_loaded: coins, tip_hash: displayHash(block), base_height: height, path }
  })
})
