import { type Transaction, transactionId } from "@lockstep/kernel/model"
import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import type { RpcError } from "./rpc-error.ts"
import type { QueryNode } from "./query-node.ts"
import { readBlock } from "./block-lookup.ts"

/** A transaction of a block, and where it stands. */
export interface FoundTransaction {
  readonly tx: Transaction
  readonly index: number
  readonly facts: BlockFacts
}

/** A transaction of a block that is known. */
export const findIn = Effect.fnUntraced(function*(
  node: QueryNode,
  facts: BlockFacts,
  txid: Uint8Array
): Effect.fn.Return<FoundTransaction | undefined, RpcError> {
  const { transactions } = yield* readBlock(node, facts)
  const index = transactions.findIndex((tx) => bytesEqual(transactionId(tx, node.crypto), txid))
  return index < 0 ? undefined : { tx: transactions[index]!, index, facts }
})

/** A transaction that the index of transactions knows. Precondition: there is one. */
export const findByPlace = Effect.fnUntraced(function*(
  node: QueryNode,
  txid: Uint8Array
): Effect.fn.Return<FoundTransaction | undefined, RpcError> {
  const place = yield* node.chain.call("transactionPlace", { txid })
  const facts = place === undefined ? undefined : yield* node.chain.call("blockFacts", { hash: place.block })
  return facts === undefined ? undefined : yield* findIn(node, facts, txid)
})

/** A transaction of a block, if there is an index of them and it knows this one. */
export const indexedTransaction = Effect.fnUntraced(function*(
  node: QueryNode,
  txid: Uint8Array
): Effect.fn.Return<Transaction | undefined, RpcError> {
  const indexes = yield* node.chain.call("indexes", undefined)
  if (!indexes.some(({ name }) => name === "txindex")) return undefined
  return (yield* findByPlace(node, txid))?.tx
})
