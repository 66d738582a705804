import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { type Block, decodeBlock, encodeWithoutWitness } from "@lockstep/kernel/model"
import type { BloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { HeaderStatus } from "../../engine/header-index/header-status.ts"
import { has, isInvalid, nodeOf } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { CompactForms } from "../sync/compact-blocks/compact-forms.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import type { ServePolicies } from "./deny-list.ts"
import type { FilterCounts } from "./filter-figures.ts"
import { mayBeServed } from "./may-be-served.ts"
import { sendMerkleBlock } from "./serve-merkle-block.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"
import type { UploadTarget } from "./upload-target.ts"

/** Inputs for serving blocks. */
export interface BlockServing {
  readonly context: P2pContext
  readonly policies: ServePolicies
  readonly upload: UploadTarget
  /** Returns the Bloom filter that a peer has set. */
  readonly filterOf: (peer: Peer) => BloomFilter | undefined
  readonly forms: CompactForms
  readonly counts: FilterCounts
}

/** Encodes a block without witnesses, for nodes from before segwit. */
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

/** Selects the format in which a block is sent. */
const formOf = (serving: BlockServing, node: HeaderIndexNode, type: number): "whole" | "plain" | "compact" => {
  if (type === InventoryType.WITNESS_BLOCK) return "whole"
  if (type === InventoryType.BLOCK) return "plain"
  const isNew = node.height >= serving.context.chain.tree.tip.height - SERVING_LIMITS.compactDepth.most
  return isNew && isRecent(serving) ? "compact" : "whole"
}

const sendPlain = (bytes: Uint8Array, peer: Peer): void => {
  const decoded = decodeBlock(bytes)
  // A stored block was decoded before.
  if (Result.isFailure(decoded)) return
  const block = decoded.success
  peer.send(blockMessage(withoutWitnesses(block), block.header))
}

/** Returns the reason to disconnect a peer that requests such a block, or `undefined` if it is served. */
const objectionTo = (
  { context, upload }: BlockServing,
  { isTrusted, permissions }: Peer,
  node: HeaderIndexNode,
  type: number
): DisconnectReason | undefined => {
  const { chain: { tree }, services } = context
  const age = (tree.bestHeader.header.time - node.header.time) * 1_000
  const isHistoric = age > SERVING_LIMITS.historicAge.most || type === InventoryType.FILTERED_BLOCK
  const isUnlimited = isTrusted || permissions.has("download")
  if (isHistoric && !isUnlimited && !upload.servesHistoricalBlocks()) return { _tag: "HistoricalBlockLimit" }
  const offered = services()
  const isLimited = offers(offered, ServiceFlag.NETWORK_LIMITED) && !offers(offered, ServiceFlag.NETWORK)
  const isDeep = tree.tip.height - node.height > SERVING_LIMITS.keptBlocks.most
  return isLimited && isDeep && !isTrusted ? { _tag: "BlockBelowLimit" } : undefined
}

/** The block existed a moment ago, and the peer would wait for it in vain. */
const UNREADABLE: DisconnectReason = { _tag: "BlockUnreadable" }

const sendFiltered = (
  { context, counts }: BlockServing,
  peer: Peer,
  node: HeaderIndexNode,
  filter: BloomFilter
): Effect.Effect<void> =>
  Effect.flatMap(context.chain.blockBytes(node), (bytes) =>
    bytes === undefined
      ? Effect.sync(() => peer.disconnect(UNREADABLE))
      : sendMerkleBlock(context, counts, peer, filter, bytes))

const send = (serving: BlockServing, peer: Peer, node: HeaderIndexNode, type: number): Effect.Effect<void> => {
  const form = formOf(serving, node, type)
  if (form === "compact") {
    return Effect.map(
      serving.forms.of(node),
      (made) => made === undefined ? peer.disconnect(UNREADABLE) : peer.send(made.message)
    )
  }
  return Effect.map(serving.context.chain.blockBytes(node), (bytes) => {
    if (bytes === undefined) return peer.disconnect(UNREADABLE)
    if (form === "whole") peer.sendOwned(blockMessage(bytes, node.header))
    else sendPlain(bytes, peer)
  })
}

/** True if an operator or a module denies the entry, so that it is answered with `notfound`. */
export const isDenied = ({ policies }: BlockServing, { hash }: InventoryEntry): boolean => policies.deniesBlock(hash)

/** True if a block is about to become the tip: a peer may know it by its early announcement as a compact block. */
const isBeingVerified = ({ context: { chain: { state, tree } } }: BlockServing, node: HeaderIndexNode): boolean =>
  has(tree, node, HeaderStatus.STORED) && !has(tree, node, HeaderStatus.CONNECTED) && !isInvalid(tree, node) &&
  node.chainWork > tree.tip.chainWork && !state().initialBlockDownload

const serveKnown = (serving: BlockServing, peer: Peer, node: HeaderIndexNode, type: number): Effect.Effect<void> => {
  const { context } = serving
  if (!mayBeServed(node, context)) {
    return Effect.sync(() => context.notify.trace?.({ _tag: "OldBlockRequested", peer: peer.id }))
  }
  const objection = objectionTo(serving, peer, node, type)
  if (objection !== undefined) return Effect.sync(() => peer.disconnect(objection))
  if (!has(context.chain.tree, node, HeaderStatus.STORED)) return Effect.void
  if (type !== InventoryType.FILTERED_BLOCK) return send(serving, peer, node, type)
  const filter = serving.filterOf(peer)
  return filter === undefined ? Effect.void : sendFiltered(serving, peer, node, filter)
}

/**
 * Serves a requested block. It sends nothing if the block is missing, is hidden from untrusted peers, or has to be
 * filtered and the peer has set no filter. A block whose scripts are being verified is served, or not, once they are.
 */
export const serveBlock = (serving: BlockServing, peer: Peer, { hash, type }: InventoryEntry): Effect.Effect<void> => {
  const { chain } = serving.context
  const node = nodeOf(chain.tree, hash)
  if (node === undefined) return Effect.void
  const serve = Effect.suspend(() => serveKnown(serving, peer, node, type))
  if (chain.blocksConnected === undefined || !isBeingVerified(serving, node)) return serve
  return Effect.andThen(chain.blocksConnected, serve)
}
