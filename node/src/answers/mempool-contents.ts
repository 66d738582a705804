import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../hex.ts"
import type { CallError } from "../queries/call-error.ts"
import type { QueryNode } from "../queries/query-node.ts"
import { describeByTxid, MempoolEntries } from "./mempool-entry.ts"
import { described, Hex, variant } from "./result-schema.ts"

const HASH_BYTES = 32

const Sequenced = Schema.Struct({
  txids: described(Schema.Array(Hex), "The ids"),
  mempool_sequence: described(Schema.Number, "The number of the mempool's next event")
})

const idsOf = (txids: Uint8Array): ReadonlyArray<string> =>
  Array.from(
    { length: txids.length / HASH_BYTES },
    (_, i) => displayHash(txids.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES))
  )

export const MempoolContents = Schema.Union([
  variant("verbose=false", Schema.Array(Hex)),
  variant("verbose=true: by txid", MempoolEntries),
  variant("verbose=false and mempool_sequence=true", Sequenced)
])

/** Lists the transactions of the mempool in mining order. */
export const mempoolContents = Effect.fnUntraced(function*(
  node: QueryNode,
  wanted: "ids" | "ids and sequence" | "entries"
): Effect.fn.Return<typeof MempoolContents.Type, CallError> {
  const { chain } = node
  if (wanted === "entries") return yield* describeByTxid(node, yield* chain.call("mempoolEntries", undefined))
  const { sequence, txids } = yield* chain.call("mempoolIds", undefined)
  const ids = idsOf(txids)
  return wanted === "ids" ? ids : { txids: ids, mempool_sequence: sequence }
})
