import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { type Block, decodeBlock, encodeWithoutWitness } from "@lockstep/kernel/model"
import { compactBlockOf } from "@lockstep/protocol/wire/compact-block/compact-block-of.ts"
import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { HeaderStatus } from "../../engine/header-index/header-status.ts"
import { has, nodeOf } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { nodeClock } from "../node-clock.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import { unforeseeable } from "../peer/session/ping-pong.ts"
import type { ServePolicy } from "./deny-list.ts"
import { mayBeServed } from "./may-be-served.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"
import type { UploadTarget } from "./upload-target.ts"

/** What serving blocks goes by. */
export interface BlockServing {
  readonly context: P2pContext
  readonly policy: ServePolicy
  readonly upload: UploadTarget
}

/** A block as nodes from before witnesses know it. */
const withoutWitnesses = ({ header, transactions }: Block): Uint8Array =>
  concatBytes([header.bytes, encodeCompactSize(transactions.length), ...transactions.map(encodeWithoutWitness)])

const blockMessage = (
  block: Uint8Array,
  parsed: Block["header"]
) => ({ command: "block", header: parsed, bytes: block } as const)

const isRecent = ({ context }: BlockServing): boolean => {
  const { targetSpacing } = context.network.parameters.work
  return context.chain.tree.tip.header.time >
    nodeClock(context)() / 1_000 - targetSpacing * SERVING_LIMITS.directFetch.most
}

/** In which form a block goes out. */
const formOf = (serving: BlockServing, node: HeaderIndexNode, type: number): "whole" | "plain" | "compact" => {
  if (type === InventoryType.WITNESS_BLOCK) return "whole"
  if (type === InventoryType.BLOCK) return "plain"
  const isNew = node.height >= serving.context.chain.tree.tip.height - SERVING_LIMITS.compactDepth.most
  return isNew && isRecent(serving) ? "compact" : "whole"
}

const sendIn = (
  form: "whole" | "plain" | "compact",
  bytes: Uint8Array,
  peer: Peer,
  { context }: BlockServing
): void => {
  const decoded = decodeBlock(bytes)
  // What is stored was decoded before.
  if (Result.isFailure(decoded)) return
  const block = decoded.success
  if (form === "compact") peer.send(compactBlockOf(block, unforeseeable(context.environment.random), context.crypto))
  else peer.send(blockMessage(withoutWitnesses(block), block.header))
}

/** The reason to disconnect a peer that requests such a block; nothing: it is served. */
const objectionTo = (
  { context, upload }: BlockServing,
  { isTrusted }: Peer,
  node: HeaderIndexNode,
  type: number
): string | undefined => {
  if (isTrusted) return undefined
  const { chain: { tree }, services } = context
  const age = (tree.bestHeader.header.time - node.header.time) * 1_000
  const isHistoric = age > SERVING_LIMITS.historicAge.most || type === InventoryType.FILTERED_BLOCK
  if (isHistoric && !upload.servesHistoricalBlocks()) return "historical block serving limit reached"
  const offered = services()
  const isLimited = offers(offered, ServiceFlag.NETWORK_LIMITED) && !offers(offered, ServiceFlag.NETWORK)
  const isDeep = tree.tip.height - node.height > SERVING_LIMITS.keptBlocks.most
  return isLimited && isDeep ? "it asks for blocks below what a limited node serves" : undefined
}

const send = (serving: BlockServing, peer: Peer, node: HeaderIndexNode, type: number): Effect.Effect<void> =>
  Effect.map(serving.context.chain.blockBytes(node), (bytes) => {
    if (bytes === undefined) {
      // It was here a moment ago: the peer would wait for what does not come.
      peer.disconnect("a requested block cannot be read")
      return
    }
    const form = formOf(serving, node, type)
    if (form === "whole") peer.sendOwned(blockMessage(bytes, node.header))
    else sendIn(form, bytes, peer, serving)
  })

/** Whether an entry is answered with `notfound` because an operator or a module wants it so. */
export const isDenied = ({ policy }: BlockServing, { hash }: InventoryEntry): boolean =>
  policy.isMaintenance || policy.blocks.has(hash)

/**
 * Serves a requested block, or nothing where it is not here, not for untrusted peers, or in a form the node does not
 * offer.
 */
export const serveBlock = (serving: BlockServing, peer: Peer, { hash, type }: InventoryEntry): Effect.Effect<void> => {
  const { context } = serving
  const { tree } = context.chain
  const node = nodeOf(tree, hash)
  if (node === undefined || !mayBeServed(node, context)) return Effect.void
  const objection = objectionTo(serving, peer, node, type)
  if (objection !== undefined) return Effect.sync(() => peer.disconnect(objection))
  if (!has(tree, node, HeaderStatus.STORED) || type === InventoryType.FILTERED_BLOCK) return Effect.void
  return send(serving, peer, node, type)
}
