import { type Block, blockWeight, strippedSize, transactionId } from "@lockstep/kernel/model"
import { compactSizeLength } from "@lockstep/kernel/bytes"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import { Hex, optionalDescribed, described } from "./result-schema.ts"
import { HeaderFields, headerJson } from "./header-json.ts"
import { displayHash, hexOf } from "../hex.ts"
import { readBlock } from "../queries/block-lookup.ts"
import { undoOf } from "../queries/block-undo.ts"
import type { QueryNode } from "../queries/query-node.ts"
import {
  showContext,
  type ShowContext,
  TransactionFields,
  transactionJson,
  type TransactionJson
} from "./transaction-json.ts"

const CoinbaseSummary = Schema.Struct({
  version: described(Schema.Number, "The version of the coinbase"),
  locktime: described(Schema.Number, "Its lock time"),
  sequence: described(Schema.Number, "The sequence number of its input"),
  coinbase: described(Hex, "The script of its input"),
  witness: optionalDescribed(Hex, "The first element of its witness, where it has one")
})

const BlockFields = {
  ...HeaderFields,
  strippedsize: described(Schema.Number, "Bytes without witness"),
  size: described(Schema.Number, "Bytes in all"),
  weight: described(Schema.Number, "The weight"),
  coinbase_tx: described(CoinbaseSummary, "What stands out of the coinbase")
} as const

export const BlockWithIds = Schema.Struct({
  ...BlockFields,
  tx: described(Schema.Array(Hex), "The ids of its transactions")
})

const WholeTransaction = Schema.Struct({ ...TransactionFields, hex: described(Hex, "The bytes of the transaction") })

export const BlockWithTransactions = Schema.Struct({
  ...BlockFields,
  tx: described(Schema.Array(WholeTransaction), "Its transactions")
})

const summaryOf = ({ transactions }: Block): typeof CoinbaseSummary.Type => {
  const coinbase = transactions[0]!
  const input = coinbase.inputs[0]!
  const [witness] = input.witness
  return {
    version: coinbase.version,
    locktime: coinbase.lockTime,
    sequence: input.sequence,
    coinbase: hexOf(input.script),
    witness: witness === undefined ? undefined : hexOf(witness)
  }
}

const strippedBytes = ({ transactions }: Block): number =>
  transactions.reduce((sum, tx) => sum + strippedSize(tx), 80 + compactSizeLength(transactions.length))

const commonJson = (facts: BlockFacts, block: Block) => ({
  ...headerJson(facts),
  strippedsize: strippedBytes(block),
  size: block.bytes.length,
  weight: blockWeight(block),
  coinbase_tx: summaryOf(block)
})

/** Returns a block with the ids of its transactions. */
const blockWithIds = (facts: BlockFacts, block: Block, { crypto }: ShowContext): typeof BlockWithIds.Type => ({
  ...commonJson(facts, block),
  tx: block.transactions.map((tx) => displayHash(transactionId(tx, crypto)))
})

/** Transactions formatted before the node yields to the event loop, since a large block takes a while. */
const TURN = 100

/**
 * Returns a block with its transactions. With undo data it also shows their fees and, on request, the spent outputs.
 */
const blockWithTransactions = Effect.fnUntraced(function*(
  facts: BlockFacts,
  block: Block,
  context: ShowContext,
  undo: { readonly data: BlockUndo; readonly showPrevouts: boolean } | undefined
): Effect.fn.Return<typeof BlockWithTransactions.Type> {
  const shown: Array<TransactionJson & { readonly hex: string }> = []
  for (const [i, tx] of block.transactions.entries()) {
    const coins = i === 0 ? undefined : undo?.data.spent[i - 1]
    const spent = coins === undefined ? undefined : { coins, show: undo?.showPrevouts === true }
    shown.push({ ...transactionJson(tx, context, spent), hex: hexOf(tx.bytes) })
    if ((i + 1) % TURN === 0) yield* Effect.yieldNow
  }
  return { ...commonJson(facts, block), tx: shown }
})

/**
 * Returns a block with the ids of its transactions, with the transactions, or also with the outputs that they spend.
 */
export const blockJson = Effect.fnUntraced(function*(
  node: QueryNode,
  facts: BlockFacts,
  detail: "ids" | "transactions" | "prevouts"
) {
  const block = yield* readBlock(node, facts)
  const context = showContext(node)
  if (detail === "ids") return blockWithIds(facts, block, context)
  const data = yield* undoOf(facts, node)
  return yield* blockWithTransactions(facts, block, context, data && { data, showPrevouts: detail === "prevouts" })
})
