import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { hash, integer, optional } from "./definition/parameter.ts"
import { Hex, optionalDescribed, Time, described } from "../answers/result-schema.ts"

const Window = Schema.Struct({
  time: described(Time, "The time in the header of the last block"),
  txcount: optionalDescribed(Schema.Number, "Transactions in the chain up to there, where that is known"),
  window_final_block_hash: described(Hex, "The hash of the last block"),
  window_final_block_height: described(Schema.Number, "The height of the last block"),
  window_block_count: described(Schema.Number, "Blocks in the window"),
  window_interval: optionalDescribed(Schema.Number, "Seconds it spans (only with blocks in it)"),
  window_tx_count: optionalDescribed(Schema.Number, "Transactions in it (only with blocks in it, where that is known)"),
  txrate: optionalDescribed(Schema.Number, "Transactions a second in it (only when it spans any time)")
})

export const getchaintxstats = method({
  name: "getchaintxstats",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers how many transactions there are in the chain, and at what rate they came over the last blocks.",
  parameters: {
    nblocks: optional(integer({ description: "Blocks in the window; as many as a month has if missing" })),
    blockhash: optional(hash({ description: "The last block of the window; the tip if missing" }))
  },
  result: Window,
  examples: [{ params: [] }, { params: [2016] }],
  call: Effect.fnUntraced(function*({ blockhash, nblocks }, { chain }) {
    const window = yield* chain.call("chainWindow", { last: blockhash, blocks: nblocks })
    const { blocks, seconds, transactions, transactionsBefore } = window
    const isCounted = blocks > 0 && transactions > 0 && transactionsBefore > 0
    return {
      time: window.time,
      txcount: transactions > 0 ? transactions : undefined,
      window_final_block_hash: displayHash(window.hash),
      window_final_block_height: window.height,
      window_block_count: blocks,
      window_interval: blocks > 0 ? seconds : undefined,
      window_tx_count: isCounted ? transactions - transactionsBefore : undefined,
      txrate: isCounted && seconds > 0 ? (transactions - transactionsBefore) / seconds : undefined
    }
  })
})
