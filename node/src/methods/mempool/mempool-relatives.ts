import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../../hex.ts"
import { boolean, hash, optionalWith } from "../definition/parameter.ts"
import { Hex, variant } from "../../answers/result-schema.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { describeByTxid, MempoolEntries, NOT_IN_MEMPOOL } from "../../answers/mempool-entry.ts"

/** Parameters of a method that lists relatives. */
export const RELATIVES_PARAMETERS = {
  txid: hash({ description: "The id of the transaction, which is in the mempool" }),
  verbose: optionalWith(boolean({ description: "Whether to describe each of them" }), false)
}

export const RelativesResult = Schema.Union([
  variant("verbose=false", Schema.Array(Hex)),
  variant("verbose=true: by txid", MempoolEntries)
])

/** Returns all ancestors or descendants of a mempool transaction, without itself: their ids, or their entries. */
export const relativesOf = Effect.fnUntraced(function*(
  node: Pick<MethodNode, "chain" | "deprecated">,
  txid: Uint8Array,
  which: "ancestors" | "descendants",
  verbose: boolean
) {
  const found = yield* node.chain.call("mempoolRelatives", { txid, which })
  if (found === undefined) return yield* Effect.fail(NOT_IN_MEMPOOL)
  return verbose ? yield* describeByTxid(node, found) : found.map((entry) => displayHash(entry.txid))
})
