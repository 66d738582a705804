import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { integer, optionalWith } from "./definition/parameter.ts"
import { HASHRATE_BLOCKS, networkHashrate } from "../queries/network-hashrate.ts"

export const getnetworkhashps = method({
  name: "getnetworkhashps",
  category: "mining",
  privilege: "anyone",
  description: "Answers how many hashes a second the network makes, judging by the last blocks.",
  parameters: {
    nblocks: optionalWith(
      integer({ description: "How many blocks; -1: those since the difficulty changed" }),
      HASHRATE_BLOCKS
    ),
    height: optionalWith(integer({ description: "The height of the last of them; -1: the tip's" }), -1)
  },
  result: Schema.Number.annotate({ description: "Hashes a second" }),
  examples: [{ params: [] }],
  call: ({ height, nblocks }, node) => networkHashrate(node, nblocks, height)
})
