import { isZero } from "@lockstep/kernel/bytes"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { limitsToSend } from "@lockstep/protocol/wire/limits.ts"
import { HeaderStatus } from "../../engine/header-index/header-status.ts"
import { has, nodeOf } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import { blocksFrom, forkOfLocator } from "./locate.ts"
import { mayBeServed } from "./may-be-served.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/** Returns the requested headers, or `undefined` if the request is not answered. */
const headersFor = (
  context: P2pContext,
  { locator, stop }: MessageOf<"getheaders">
): ReadonlyArray<HeaderIndexNode> | undefined => {
  const { tree } = context.chain
  if (locator.length > 0) {
    return blocksFrom(tree, forkOfLocator(tree, locator).height + 1, stop, limitsToSend(context.limits).headers)
  }
  const node = isZero(stop) ? undefined : nodeOf(tree, stop)
  return node === undefined || !mayBeServed(node, context) ? undefined : [node]
}

/**
 * Serves `getheaders`. Returns the last header sent, or the tip if no header followed. While this node's chain has too
 * little work, the answer is empty unless the peer is trusted or has the download permission. So the peer asks another
 * node and does not wait. Nothing is answered while block files are being imported.
 */
export const serveHeaders = (
  context: P2pContext,
  peer: Peer,
  message: MessageOf<"getheaders">
): HeaderIndexNode | undefined => {
  const { chain: { state, tree }, network } = context
  if (state().loadingBlocks) return undefined
  const isUnlimited = peer.isTrusted || peer.permissions.has("download")
  if (tree.tip.chainWork < network.minimumChainWork && !isUnlimited) {
    peer.send({ command: "headers", headers: [] })
    return undefined
  }
  const nodes = headersFor(context, message)
  if (nodes === undefined) return undefined
  peer.send({ command: "headers", headers: nodes.map(({ header }) => header) })
  return nodes.at(-1) ?? tree.tip
}

/** The blocks that answer `getblocks`, and whether they were cut off at the limit. */
export interface NamedBlocks {
  readonly nodes: ReadonlyArray<HeaderIndexNode>
  readonly isCut: boolean
}

/** Returns the lowest height to announce. A pruned node announces no block that it may remove within the hour. */
const lowestToName = ({ chain: { state, tree: { tip } }, network: { parameters } }: P2pContext): number => {
  const likely = SERVING_LIMITS.blocksKept.most - Math.floor(3_600 / parameters.work.targetSpacing)
  return state().pruned ? tip.height - likely + 1 : 0
}

/** Serves `getblocks` with the following blocks, up to the first that is not stored. */
export const serveInventory = (
  context: P2pContext,
  peer: Peer,
  { locator, stop }: MessageOf<"getblocks">
): NamedBlocks => {
  const { tree } = context.chain
  const { most } = SERVING_LIMITS.inventoryOfBlocks
  const found = blocksFrom(tree, forkOfLocator(tree, locator).height + 1, stop, most)
  const lowest = lowestToName(context)
  const until = found.findIndex((node) => !has(tree, node, HeaderStatus.STORED) || node.height < lowest)
  const here = until < 0 ? found : found.slice(0, until)
  // The peer already knows the hash to stop at.
  const last = here.at(-1)
  const nodes = last !== undefined && !isZero(stop) && nodeOf(tree, stop) === last ? here.slice(0, -1) : here
  if (nodes.length > 0) {
    peer.send({ command: "inv", inventory: nodes.map(({ hash }) => ({ type: InventoryType.BLOCK, hash })) })
  }
  return { nodes, isCut: nodes.length === most }
}
