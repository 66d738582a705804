import { decodeBlock } from "@lockstep/kernel/model"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { HeaderStatus } from "../../engine/header-index/header-status.ts"
import { has, nodeOf } from "../../engine/header-index/header-index.ts"
import type { Peer } from "../peer/peer.ts"
import { type BlockServing, isDenied, serveBlock } from "./serve-block.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

const answer = (peer: Peer, bytes: Uint8Array, { block, indexes }: MessageOf<"getblocktxn">): void => {
  const decoded = decodeBlock(bytes)
  if (Result.isFailure(decoded)) return
  const { transactions } = decoded.success
  if (indexes.some((index) => index >= transactions.length)) {
    peer.discourage("getblocktxn with out-of-bounds tx indices")
    return
  }
  peer.send({ command: "blocktxn", block, transactions: indexes.map((index) => transactions[index]!) })
}

/** Answers getblocktxn: with the transactions of a block near the tip, and with a whole block where it is deeper. */
export const serveBlockTransactions = (
  serving: BlockServing,
  peer: Peer,
  message: MessageOf<"getblocktxn">
): Effect.Effect<void> => {
  const { chain } = serving.context
  const node = nodeOf(chain.tree, message.block)
  if (node === undefined || !has(chain.tree, node, HeaderStatus.STORED)) return Effect.void
  const entry = { type: InventoryType.WITNESS_BLOCK, hash: message.block }
  if (isDenied(serving, entry)) return Effect.void
  if (node.height < chain.tree.tip.height - SERVING_LIMITS.transactionsDepth.most) {
    return serveBlock(serving, peer, entry)
  }
  return Effect.map(chain.blockBytes(node), (bytes) => {
    if (bytes !== undefined) answer(peer, bytes, message)
  })
}
