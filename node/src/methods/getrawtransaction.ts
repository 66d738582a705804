import { headerOf, isCoinbase, type Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import { displayHash, hexOf } from "../hex.ts"
import { showContext, type SpentCoins, TransactionFields, transactionJson } from "../answers/transaction-json.ts"
import { method } from "./definition/method.ts"
import { hash, optional, optionalWith, verbosity } from "./definition/parameter.ts"
import { Hex, variant, optionalDescribed, Time, described } from "../answers/result-schema.ts"
import type { CallError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { undoOf } from "../queries/block-undo.ts"
import { findTransaction, type FoundTransaction } from "../queries/find-transaction.ts"

export const RawTransaction = Schema.Struct({
  in_active_chain: optionalDescribed(
    Schema.Boolean,
    "Whether the given block is in the active chain (only with blockhash)"
  ),
  ...TransactionFields,
  hex: described(Hex, "The bytes of the transaction"),
  blockhash: optionalDescribed(Hex, "Its block; none: it is in the mempool"),
  confirmations: optionalDescribed(
    Schema.Number,
    "Blocks from its block to the tip; 0 when that is not in the active chain"
  ),
  time: optionalDescribed(Time, "The same as blocktime"),
  blocktime: optionalDescribed(Time, "The time in the header of its block")
})

const EXAMPLE = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"

/** Returns the coins that a transaction of a block spent. */
const spentBy = Effect.fnUntraced(function*(
  node: MethodNode,
  tx: Transaction,
  { facts, index }: NonNullable<FoundTransaction["block"]>
): Effect.fn.Return<SpentCoins | undefined, CallError> {
  if (isCoinbase(tx)) return undefined
  const coins = (yield* undoOf(facts, node))?.spent[index - 1]
  return coins === undefined ? undefined : { coins, show: true }
})

const placeFields = ({ confirmations, hash: block, header }: BlockFacts) => {
  const { time } = headerOf(header)
  return confirmations > 0
    ? { blockhash: displayHash(block), confirmations, time, blocktime: time }
    : { blockhash: displayHash(block), confirmations: 0 }
}

export const getrawtransaction = method({
  name: "getrawtransaction",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Answers a transaction: its bytes (verbosity 0), what is in it (1), and with fee and the outputs it spends (2).",
    "It is found in the mempool, by the transaction index, or in the block that is given."
  ].join("\n"),
  parameters: {
    txid: hash({ description: "The id of the transaction", called: "parameter 1" }),
    verbosity: optionalWith(verbosity({ description: "How much to answer: 0 to 2", aliases: ["verbose"] }), 0),
    blockhash: optional(hash({ description: "The block to look in", called: "parameter 3" }))
  },
  result: Schema.Union([variant("verbosity=0", Hex), variant("verbosity=1 or 2", RawTransaction)]),
  examples: [{ params: [EXAMPLE] }, { params: [EXAMPLE, 1] }],
  call: Effect.fnUntraced(function*({ blockhash, txid, verbosity: level }, node) {
    const { block, tx } = yield* findTransaction(node, txid, blockhash)
    const hex = hexOf(tx.bytes)
    if (level <= 0) return hex
    const context = showContext(node)
    if (block === undefined) return { ...transactionJson(tx, context), hex }
    const spent = level >= 2 ? yield* spentBy(node, tx, block) : undefined
    return {
      in_active_chain: blockhash === undefined ? undefined : block.facts.confirmations > 0,
      ...transactionJson(tx, context, spent),
      hex,
      ...placeFields(block.facts)
    }
  })
})
