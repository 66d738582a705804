import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../hex.ts"
import { ScriptPubKey, scriptPubKey } from "../answers/script-pub-key.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { boolean, hash, optionalWith, unsigned } from "./definition/parameter.ts"
import { Amount, Hex, variant, described } from "../answers/result-schema.ts"
import type { QueryChain } from "../queries/query-node.ts"

export const UnspentOutput = Schema.Struct({
  bestblock: described(Hex, "The tip the answer holds at"),
  confirmations: described(Schema.Number, "Blocks from the one with the output to the tip; 0: it is in the mempool"),
  value: described(Amount, "The amount in BTC"),
  scriptPubKey: described(ScriptPubKey, "The script"),
  coinbase: described(Schema.Boolean, "Whether a coinbase made it")
})

const confirmedOutput = (chain: QueryChain, txid: Uint8Array, vout: number) =>
  Effect.map(
    chain.call("coin", { txid, vout }),
    (coin) => coin && { ...coin, tip: coin.bestBlock, confirmations: coin.bestHeight - coin.height + 1 }
  )

const unspentOutput = (chain: QueryChain, txid: Uint8Array, vout: number) =>
  Effect.map(
    chain.call("outputs", { outpoints: [{ txid, vout }] }),
    ({ outputs: [output], tip }) => output === undefined || output.isSpent ? undefined : { ...output, tip }
  )

export const gettxout = method({
  name: "gettxout",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers an unspent output of the chain or of the mempool.",
  parameters: {
    txid: hash({ description: "The id of the transaction" }),
    n: unsigned({ description: "The place of the output in it" }),
    include_mempool: optionalWith(
      boolean({
        description: "Whether transactions of the mempool count: their outputs are there, and what they spend is not"
      }),
      true
    )
  },
  result: Schema.Union([variant("there is no such output", Schema.Null), variant("otherwise", UnspentOutput)]),
  examples: [{ params: ["4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", 0] }],
  call: Effect.fnUntraced(function*({ include_mempool, n, txid }, { chain, network }) {
    const output = yield* (include_mempool ? unspentOutput(chain, txid, n) : confirmedOutput(chain, txid, n))
    if (output === undefined) return null
    return {
      bestblock: displayHash(output.tip),
      confirmations: output.confirmations,
      value: amount(output.value),
      scriptPubKey: scriptPubKey(output.script, network.addresses),
      coinbase: output.isCoinbase
    }
  })
})
