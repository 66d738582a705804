import * as Effect from "effect/Effect"
import { ChainInfo, chainInfo } from "../answers/chain-info.ts"
import { method } from "./definition/method.ts"

export const getblockchaininfo = method({
  name: "getblockchaininfo",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the state of the chain.",
  parameters: {},
  result: ChainInfo,
  examples: [{ params: [] }],
  call: (_, node) => Effect.succeed(chainInfo(node))
})
