import { decodeBlock, decodeTransaction, type Transaction, transactionId } from "@lockstep/kernel/model"
import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import { knownBlock, readBlock } from "./block-lookup.ts"
import { type CallError, callError } from "./call-error.ts"
import { indexState } from "./index-state.ts"
import type { QueryNode } from "./query-node.ts"

/** A transaction with its block. */
export interface FoundTransaction {
  readonly tx: Transaction
  /** `undefined` if the transaction is in the mempool. */
  readonly block: { readonly facts: BlockFacts; readonly index: number } | undefined
}

/** Returns the transaction from its block, or `undefined` if the block does not contain it. */
const findIn = Effect.fnUntraced(function*(
  node: QueryNode,
  facts: BlockFacts,
  txid: Uint8Array
): Effect.fn.Return<FoundTransaction | undefined, CallError> {
  const { transactions } = yield* readBlock(node, facts)
  const index = transactions.findIndex((tx) => bytesEqual(transactionId(tx, node.crypto), txid))
  return index < 0 ? undefined : { tx: transactions[index]!, block: { facts, index } }
})

/** Finds a transaction by the transaction index, or returns `undefined`. Precondition: the index is enabled. */
const findByPlace = Effect.fnUntraced(function*(
  node: QueryNode,
  txid: Uint8Array
): Effect.fn.Return<FoundTransaction | undefined, CallError> {
  const place = yield* node.chain.call("transactionPlace", { txid })
  const facts = place === undefined ? undefined : yield* node.chain.call("blockFacts", { hash: place.block })
  return facts === undefined ? undefined : yield* findIn(node, facts, txid)
})

/** Returns a transaction of a block, or `undefined` if the index is off or does not contain it. */
export const indexedTransaction = Effect.fnUntraced(function*(
  node: QueryNode,
  txid: Uint8Array
): Effect.fn.Return<Transaction | undefined, CallError> {
  return (yield* indexState(node, "txindex")) && (yield* findByPlace(node, txid))?.tx
})

const isGenesisCoinbase = (txid: Uint8Array, { crypto, network }: QueryNode): boolean => {
  const genesis = decodeBlock(network.genesisBlock)
  return Result.isSuccess(genesis) && bytesEqual(transactionId(genesis.success.transactions[0]!, crypto), txid)
}

const notFound = (message: string): CallError =>
  callError("TransactionNotFound", `${message}. Use gettransaction for wallet transactions.`)

const findInGivenBlock = Effect.fnUntraced(function*(node: QueryNode, txid: Uint8Array, block: Uint8Array) {
  const facts = yield* knownBlock(node, block, "Block hash not found")
  if (facts.block === undefined) return yield* Effect.fail(callError("BlockNotAvailable", "Block not available"))
  const found = yield* findIn(node, facts, txid)
  return found ?? (yield* Effect.fail(notFound("No such transaction found in the provided block")))
})

const findByIndex = Effect.fnUntraced(function*(node: QueryNode, txid: Uint8Array) {
  const index = yield* indexState(node, "txindex")
  if (index === undefined) {
    return yield* Effect.fail(notFound(
      "No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries"
    ))
  }
  const found = yield* findByPlace(node, txid)
  return found ?? (yield* Effect.fail(notFound(
    index.synced
      ? "No such mempool or blockchain transaction"
      : "No such mempool transaction. Blockchain transactions are still in the process of being indexed"
  )))
})

/** Finds a transaction in the given block; without a block, in the mempool or by the transaction index. */
export const findTransaction = Effect.fnUntraced(function*(
  node: QueryNode,
  txid: Uint8Array,
  block?: Uint8Array
): Effect.fn.Return<FoundTransaction, CallError> {
  if (isGenesisCoinbase(txid, node)) {
    return yield* Effect.fail(callError(
      "TransactionNotFound",
      "The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved"
    ))
  }
  if (block !== undefined) return yield* findInGivenBlock(node, txid, block)
  const pooled = yield* node.chain.call("mempoolTransaction", { id: txid, kind: "txid" })
  return pooled === undefined
    ? yield* findByIndex(node, txid)
    : { tx: Result.getOrThrow(decodeTransaction(pooled.bytes)), block: undefined }
})
