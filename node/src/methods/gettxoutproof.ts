import { transactionId } from "@lockstep/kernel/model"
import { encodeMerkleBlock, merkleBlockOf } from "@lockstep/protocol/merkle-block/partial-merkle-tree.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import { displayHash, hexOf } from "../hex.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { array, hash, hashOf, optional } from "./definition/parameter.ts"
import { Hex } from "../answers/result-schema.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { knownBlock, readBlock } from "../queries/block-lookup.ts"
import { indexState } from "../queries/index-state.ts"

/** Returns the ids without duplicates, in byte order. */
const idsOf = (values: ReadonlyArray<JsonRead>): Result.Result<ReadonlyArray<Uint8Array>, CallError> => {
  if (values.length === 0) return Result.fail(invalidParameter("Parameter 'txids' cannot be empty"))
  const ids = new Map<string, Uint8Array>()
  for (const value of values) {
    const id = hashOf(value, "txid")
    if (Result.isFailure(id)) return Result.fail(id.failure)
    const digits = hexOf(id.success)
    if (ids.has(digits)) return Result.fail(invalidParameter(`Invalid parameter, duplicated txid: ${String(value)}`))
    ids.set(digits, id.success)
  }
  return Result.succeed([...ids.values()].toSorted(Buffer.compare))
}

const indexedBlock = Effect.fnUntraced(function*(
  node: MethodNode,
  txid: Uint8Array
): Effect.fn.Return<Uint8Array | undefined, CallError> {
  return (yield* indexState(node, "txindex")) && (yield* node.chain.call("transactionPlace", { txid }))?.block
})

/** Finds the block of one of the transactions, by their unspent outputs or by the transaction index. */
const blockWith = Effect.fnUntraced(function*(
  ids: ReadonlyArray<Uint8Array>,
  node: MethodNode
): Effect.fn.Return<BlockFacts, CallError> {
  let found: Uint8Array | undefined
  for (const txid of ids) found ??= yield* node.chain.call("coinBlock", { txid })
  found ??= yield* indexedBlock(node, ids[0]!)
  if (found !== undefined) return yield* knownBlock(node, found)
  return yield* Effect.fail(callError("InvalidAddressOrKey", "Transaction not yet in block"))
})

export const gettxoutproof = method({
  name: "gettxoutproof",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Answers a proof that transactions are in a block. Without the block's hash it takes the transaction index, or a transaction",
    "that still has unspent outputs."
  ].join("\n"),
  parameters: {
    txids: array(
      { usage: "[\"txid\",...]", description: "The ids of transactions in one block" },
      Schema.Array(Schema.String)
    ),
    blockhash: optional(hash({ description: "The block to look in" }))
  },
  result: Hex.annotate({ description: "The proof" }),
  examples: [{ params: [["4e3a3754410177e6937ef1f84bba68ea139e8d1a2258c5f85db9f1cd715a1bdd"]] }],
  call: Effect.fnUntraced(function*({ blockhash, txids }, node) {
    const ids = yield* Effect.fromResult(idsOf(txids))
    const facts = yield* blockhash === undefined ? blockWith(ids, node) : knownBlock(node, blockhash)
    const block = yield* readBlock(node, facts)
    const leaves = block.transactions.map((tx) => transactionId(tx, node.crypto))
    const missing = new Set(ids.map(displayHash))
    const wanted = leaves.map((id) => missing.delete(displayHash(id)))
    if (missing.size > 0) {
      const message = "Not all transactions found in specified or retrieved block"
      return yield* Effect.fail(callError("InvalidAddressOrKey", message))
    }
    return hexOf(encodeMerkleBlock(merkleBlockOf(facts.header, leaves, wanted, node.crypto)))
  })
})
