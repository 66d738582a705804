import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MempoolEntryFacts } from "../engine/api/mempool-calls.ts"
import { displayHash } from "../hex.ts"
import { amount } from "../json/number-text.ts"
import { described, Amount, Hex, optionalDescribed, Time } from "./result-schema.ts"
import { callError } from "../queries/call-error.ts"
import type { QueryNode } from "../queries/query-node.ts"

export const NOT_IN_MEMPOOL = callError("InvalidAddressOrKey", "Transaction not in mempool")

const Fees = Schema.Struct({
  base: described(Amount, "What the transaction pays, in BTC"),
  modified: described(Amount, "The same with what prioritisetransaction added: mining goes by it"),
  ancestor: described(Amount, "Modified fees of the transaction and its ancestors in the mempool"),
  descendant: described(Amount, "Modified fees of the transaction and its descendants in the mempool"),
  chunk: described(Amount, "Modified fees of the chunk that it is mined with")
})

/** A transaction of the mempool as answers show it. */
export const MempoolEntry = Schema.Struct({
  vsize: described(Schema.Number, "The virtual size that it is charged for"),
  weight: described(Schema.Number, "Its weight"),
  time: described(Time, "When it entered the mempool"),
  height: described(Schema.Number, "The height of the tip when it entered"),
  descendantcount: described(Schema.Number, "Its descendants in the mempool, and itself"),
  descendantsize: described(Schema.Number, "Their virtual size"),
  ancestorcount: described(Schema.Number, "Its ancestors in the mempool, and itself"),
  ancestorsize: described(Schema.Number, "Their virtual size"),
  wtxid: described(Hex, "The id with its witnesses"),
  chunkweight: described(Schema.Number, "The weight of its chunk, as it is charged for"),
  fees: described(Fees, "Fees in BTC"),
  depends: described(Schema.Array(Hex), "The transactions of the mempool whose outputs it spends"),
  spentby: described(Schema.Array(Hex), "The transactions of the mempool that spend its outputs"),
  unbroadcast: described(Schema.Boolean, "Whether this node's user sent it and no peer has fetched it yet"),
  "bip125-replaceable": optionalDescribed(
    Schema.Boolean,
    "Whether it or an ancestor signals that it may be replaced (only where the node keeps this deprecated answer)"
  )
})

export const MempoolEntries = Schema.Record(Schema.String, MempoolEntry)

const entryJson = (entry: MempoolEntryFacts, isReplaceable: boolean | undefined) => ({
  vsize: entry.virtualSize,
  weight: entry.weight,
  time: entry.time,
  height: entry.height,
  descendantcount: entry.descendants.count,
  descendantsize: entry.descendants.virtualSize,
  ancestorcount: entry.ancestors.count,
  ancestorsize: entry.ancestors.virtualSize,
  wtxid: displayHash(entry.wtxid),
  chunkweight: entry.chunk.weight,
  fees: {
    base: amount(entry.fee),
    modified: amount(entry.modifiedFee),
    ancestor: amount(entry.ancestors.fees),
    descendant: amount(entry.descendants.fees),
    chunk: amount(entry.chunk.fee)
  },
  depends: entry.depends.map(displayHash).toSorted(),
  spentby: entry.spentBy.map(displayHash),
  unbroadcast: entry.isUnbroadcast,
  "bip125-replaceable": isReplaceable
})

/** Returns entries of the mempool as answers show them, in the given order. */
export const describeEntries = Effect.fnUntraced(function*(
  { chain, deprecated }: Pick<QueryNode, "chain" | "deprecated">,
  entries: ReadonlyArray<MempoolEntryFacts>
) {
  const signals = deprecated.has("bip125")
    ? yield* chain.call("mempoolSignals", { txids: entries.map(({ txid }) => txid) })
    : []
  return entries.map((entry, i) => entryJson(entry, signals[i]))
})

/** Returns entries of the mempool as answers show them, by txid. */
export const describeByTxid = (
  node: Pick<QueryNode, "chain" | "deprecated">,
  entries: ReadonlyArray<MempoolEntryFacts>
) =>
  Effect.map(
    describeEntries(node, entries),
    (all) => Object.fromEntries(all.map((each, i) => [displayHash(entries[i]!.txid), each]))
  )
