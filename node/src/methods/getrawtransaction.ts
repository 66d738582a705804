import { decodeBlock, decodeTransaction, headerOf, isCoinbase, transactionId } from "@lockstep/kernel/model"
import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import { displayHash, hexOf } from "../hex.ts"
import { type SpentCoins, TransactionFields, transactionJson } from "../answers/transaction-json.ts"
import { method } from "./definition/method.ts"
import { hash, optional, optionalWith, verbosity } from "./definition/parameter.ts"
import { Hex, variant, optionalDescribed, Time, described } from "../answers/result-schema.ts"
import { type RpcError, rpcError, RpcErrorCode } from "../queries/rpc-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { knownBlock } from "../queries/block-lookup.ts"
import { undoOf } from "../queries/block-undo.ts"
import { findByPlace, findIn, type FoundTransaction } from "../queries/find-transaction.ts"

const Raw = Schema.Struct({
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

const isGenesisCoinbase = (txid: Uint8Array, { crypto, network }: MethodNode): boolean => {
  const genesis = decodeBlock(network.genesisBlock)
  return Result.isSuccess(genesis) && bytesEqual(transactionId(genesis.success.transactions[0]!, crypto), txid)
}

const notFound = (message: string): RpcError =>
  rpcError(RpcErrorCode.invalidAddressOrKey, `${message}. Use gettransaction for wallet transactions.`)

const findInGivenBlock = Effect.fnUntraced(function*(node: MethodNode, txid: Uint8Array, block: Uint8Array) {
  const facts = yield* knownBlock(node, block, "Block hash not found")
  if (facts.block === undefined) return yield* Effect.fail(rpcError(RpcErrorCode.misc, "Block not available"))
  const found = yield* findIn(node, facts, txid)
  return found ?? (yield* Effect.fail(notFound("No such transaction found in the provided block")))
})

const findByIndex = Effect.fnUntraced(function*(node: MethodNode, txid: Uint8Array) {
  const index = (yield* node.chain.call("indexes", undefined)).find(({ name }) => name === "txindex")
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

const findInMempool = Effect.fnUntraced(function*({ chain }: MethodNode, txid: Uint8Array) {
  const found = yield* chain.call("mempoolTransaction", { id: txid, kind: "txid" })
  return found && Result.getOrThrow(decodeTransaction(found.bytes))
})

const spentBy = Effect.fnUntraced(function*(
  node: MethodNode,
  { facts, index, tx }: FoundTransaction
): Effect.fn.Return<SpentCoins | undefined, RpcError> {
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
  result: Schema.Union([variant("verbosity=0", Hex), variant("verbosity=1 or 2", Raw)]),
  examples: [{ params: [EXAMPLE] }, { params: [EXAMPLE, 1] }],
  call: Effect.fnUntraced(function*({ blockhash, txid, verbosity: level }, node) {
    if (isGenesisCoinbase(txid, node)) {
      return yield* Effect.fail(rpcError(
        RpcErrorCode.invalidAddressOrKey,
        "The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved"
      ))
    }
    const pooled = blockhash === undefined ? yield* findInMempool(node, txid) : undefined
    if (pooled !== undefined) {
      const shown = { crypto: node.crypto, prefixes: node.network.addresses }
      const hex = hexOf(pooled.bytes)
      return level <= 0 ? hex : { ...transactionJson(pooled, shown), hex }
    }
    const found = yield* (blockhash === undefined ? findByIndex(node, txid) : findInGivenBlock(node, txid, blockhash))
    if (level <= 0) return hexOf(found.tx.bytes)
    const spent = level >= 2 ? yield* spentBy(node, found) : undefined
    return {
      in_active_chain: blockhash === undefined ? undefined : found.facts.confirmations > 0,
      ...transactionJson(found.tx, { crypto: node.crypto, prefixes: node.network.addresses }, spent),
      hex: hexOf(found.tx.bytes),
      ...placeFields(found.facts)
    }
  })
})
