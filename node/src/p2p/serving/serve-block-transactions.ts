import { type Block, decodeBlock } from "@lockstep/kernel/model"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { HeaderStatus } from "../../engine/header-index/header-status.ts"
import { has, nodeOf } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { Peer } from "../peer/peer.ts"
import { type BlockServing, isDenied, serveBlock } from "./serve-block.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

const answer = (
  peer: Peer,
  { transactions }: Block,
  { block, indexes }: MessageOf<"getblocktxn">
): void => {
  if (indexes.some((index) => index >= transactions.length)) {
    peer.discourage({ _tag: "TransactionIndexOutOfBounds" })
    return
  }
  peer.send({ command: "blocktxn", block, transactions: indexes.map((index) => transactions[index]!) })
}

/** Returns the block with its transactions. The newest one may be cached, since many peers request it at once. */
const blockOf = (
  { context: { chain }, forms }: BlockServing,
  node: HeaderIndexNode
): Effect.Effect<Block | undefined> => {
  const kept = forms.kept(node)
  if (kept !== undefined) return Effect.flatMap(kept, (form) => form?.block ?? Effect.succeed(undefined))
  return Effect.map(chain.blockBytes(node), (bytes) => {
    const decoded = bytes === undefined ? undefined : decodeBlock(bytes)
    return decoded === undefined ? undefined : Result.getOrUndefined(decoded)
  })
}

/** Serves `getblocktxn`: with the transactions of a block near the tip, and with the whole block if it is deeper. */
export const serveBlockTransactions = (
  serving: BlockServing,
  peer: Peer,
  message: MessageOf<"getblocktxn">
): Effect.Effect<void> => {
  const { chain, notify } = serving.context
  const unserved = (deeperThan?: number): void =>
    notify.trace?.({ _tag: "BlockTransactionsUnserved", peer: peer.id, deeperThan })
  const node = nodeOf(chain.tree, message.block)
  if (node === undefined || !has(chain.tree, node, HeaderStatus.STORED)) {
    return Effect.sync(() => unserved())
  }
  const entry = { type: InventoryType.WITNESS_BLOCK, hash: message.block }
  if (isDenied(serving, entry)) return Effect.void
  const { most } = SERVING_LIMITS.transactionsDepth
  if (node.height < chain.tree.tip.height - most) {
    unserved(most)
    return serveBlock(serving, peer, entry)
  }
  return Effect.map(blockOf(serving, node), (block) => {
    if (block !== undefined) answer(peer, block, message)
  })
}
