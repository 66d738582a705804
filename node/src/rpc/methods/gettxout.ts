import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../../hex.ts"
import { ScriptPubKey, scriptPubKey } from "../decode/script-pub-key.ts"
import { amount } from "../json/number-text.ts"
import { method } from "../method/method.ts"
import { boolean, hash, optionalWith, unsigned } from "../method/parameter.ts"
import { Amount, Hex, variant, described } from "../method/result-schema.ts"

const Output = Schema.Struct({
  bestblock: described(Hex, "The tip the answer holds at"),
  confirmations: described(Schema.Number, "Blocks from the one with the output to the tip"),
  value: described(Amount, "The amount in BTC"),
  scriptPubKey: described(ScriptPubKey, "The script"),
  coinbase: described(Schema.Boolean, "Whether a coinbase made it")
})

export const gettxout = method({
  name: "gettxout",
  category: "blockchain",
  privilege: "anyone",
  description:
    "Answers an unspent output of the chain. Transactions of the mempool change nothing here, in this build.",
  parameters: {
    txid: hash({ description: "The id of the transaction" }),
    n: unsigned({ description: "The place of the output in it" }),
    include_mempool: optionalWith(
      boolean({ description: "Has no effect in this build: the mempool is never read" }),
      true
    )
  },
  result: Schema.Union([variant("there is no such output", Schema.Null), variant("otherwise", Output)]),
  examples: [{ params: ["4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", 0] }],
  call: Effect.fnUntraced(function*({ n, txid }, { chain, network }) {
    const coin = yield* chain.call("coin", { txid, vout: n })
    if (coin === undefined) return null
    return {
      bestblock: displayHash(coin.bestBlock),
      confirmations: coin.bestHeight - coin.height + 1,
      value: amount(coin.value),
      scriptPubKey: scriptPubKey(coin.script, network.addresses),
      coinbase: coin.isCoinbase
    }
  })
})
