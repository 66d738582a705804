import { type Block, decodeBlock, decodeTransaction, encodeWithoutWitness, transactionId } from "@lockstep/kernel/model"
import type { BloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import { matchAndUpdate } from "@lockstep/protocol/bloom/match-transaction.ts"
import { merkleBlockOf } from "@lockstep/protocol/merkle-block/partial-merkle-tree.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Peer } from "../peer/peer.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { FilterCounts } from "./filter-figures.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/**
 * Matches the transactions of a block against a filter. A block may take a second, so other peers have their turn in
 * between.
 */
const matchesIn = Effect.fnUntraced(function*(
  { transactions }: Block,
  filter: BloomFilter,
  { crypto }: P2pContext,
  isGone: () => boolean
) {
  const ids: Array<Uint8Array> = []
  const wanted: Array<boolean> = []
  let bytes = 0
  for (const transaction of transactions) {
    const txid = transactionId(transaction, crypto)
    ids.push(txid)
    wanted.push(matchAndUpdate(filter, transaction, txid))
    bytes += transaction.bytes.length
    if (bytes < SERVING_LIMITS.filteredAtATime.most) continue
    bytes = 0
    yield* Effect.yieldNow
    if (isGone()) break
  }
  return { ids, wanted }
})

/**
 * Sends a block filtered for the peer (BIP37): the header with a proof, then each matching transaction without witness.
 */
export const sendMerkleBlock = Effect.fnUntraced(function*(
  context: P2pContext,
  counts: FilterCounts,
  peer: Peer,
  filter: BloomFilter,
  bytes: Uint8Array
) {
  const decoded = decodeBlock(bytes)
  // A stored block was decoded before.
  if (Result.isFailure(decoded)) return
  const block = decoded.success
  const { ids, wanted } = yield* matchesIn(block, filter, context, () => peer.isGone)
  if (peer.isGone) return
  peer.send({ command: "merkleblock", ...merkleBlockOf(block.header.bytes, ids, wanted, context.crypto) })
  counts.count(peer, "merkleblock")
  for (const [i, transaction] of block.transactions.entries()) {
    const plain = wanted[i] === true ? decodeTransaction(encodeWithoutWitness(transaction)) : undefined
    if (plain !== undefined && Result.isSuccess(plain)) peer.send({ command: "tx", transaction: plain.success })
  }
})
