import * as Effect from "effect/Effect"
import { showContext, transactionJson } from "../../answers/transaction-json.ts"
import { displayHash, hexOf } from "../../hex.ts"
import { findTransaction } from "../../queries/find-transaction.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { hashIn, inFormat, restFault } from "../rest-content.ts"
import type { RestPath } from "../rest-path.ts"

/** Returns a transaction of the mempool, or one found by the transaction index. */
export const transaction = Effect.fnUntraced(function*({ format, param }: RestPath, node: QueryNode) {
  const { block, tx } = yield* Effect.mapError(
    findTransaction(node, yield* hashIn(param)),
    (error) => error._tag === "TransactionNotFound" ? restFault(404, `${param} not found`) : error
  )
  return yield* inFormat(format, {
    bytes: Effect.succeed(tx.bytes),
    json: Effect.sync(() => ({
      ...transactionJson(tx, showContext(node)),
      blockhash: block && displayHash(block.facts.hash),
      hex: hexOf(tx.bytes)
    }))
  })
})
