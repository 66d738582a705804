import { headerOf } from "@lockstep/kernel/model"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { isActive } from "../../engine/header-index/active-chain.ts"
import { sendCompact } from "./compact-blocks/announce-compact.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { hasHeader, resolveAnnounced } from "./blocks/block-availability.ts"
import type { PeerSync } from "./peer-sync.ts"
import { ANNOUNCED_HEADERS } from "./sync-limits.ts"
import type { SyncState } from "./sync-state.ts"

/** Queues announcements of the new blocks of the active chain for all peers; only the newest few are queued. */
export const noteNewTip = (sync: SyncState, tip: HeaderIndexNode, fork: HeaderIndexNode): void => {
  const announced: Array<HeaderIndexNode> = []
  for (let at = tip; at !== fork && announced.length < ANNOUNCED_HEADERS; at = at.parent!) announced.push(at)
  announced.reverse()
  for (const { announcements } of sync.peers.values()) {
    announcements.push(...announced)
    // One block more than `headers` can announce has the same effect as any longer list.
    announcements.splice(0, Math.max(0, announcements.length - ANNOUNCED_HEADERS - 1))
  }
}

/**
 * Returns the headers that announce the blocks to a peer, each on top of one it has, or `undefined` if that is
 * impossible.
 */
const asHeaders = (
  sync: SyncState,
  to: PeerSync,
  blocks: ReadonlyArray<HeaderIndexNode>
): ReadonlyArray<HeaderIndexNode> | undefined => {
  const { tree } = sync.context.chain
  const headers: Array<HeaderIndexNode> = []
  let before: HeaderIndexNode | undefined
  for (const node of blocks) {
    if (!isActive(tree, node) || (before !== undefined && node.parent !== before)) return undefined
    before = node
    if (headers.length > 0) headers.push(node)
    else if (hasHeader(to, node)) continue
    else if (node.parent === undefined || hasHeader(to, node.parent)) headers.push(node)
    else return undefined
  }
  return headers
}

/**
 * Returns the headers of new blocks for a peer that prefers headers, or the header of a single compact block.
 * `undefined` if the newest block is announced by `inv`.
 */
const headersFor = (
  sync: SyncState,
  to: PeerSync,
  blocks: ReadonlyArray<HeaderIndexNode>
): ReadonlyArray<HeaderIndexNode> | undefined => {
  const { prefersCompact, prefersHeaders } = sync.compact.preferences
  if (blocks.length > ANNOUNCED_HEADERS) return undefined
  const isWanted = prefersHeaders(to.peer) || (prefersCompact(to.peer) && blocks.length === 1)
  return isWanted ? asHeaders(sync, to, blocks) : undefined
}

/**
 * Announces new blocks to a peer. A single one is sent as a compact block if the peer prefers that. Others are
 * announced by `headers` if it prefers those and they connect to what it has. Otherwise `inv` announces the newest.
 */
export const announceBlocks = (sync: SyncState, to: PeerSync): void => {
  const blocks = to.announcements.splice(0)
  if (blocks.length === 0) return
  resolveAnnounced(sync, to)
  const { compact } = sync
  const headers = headersFor(sync, to, blocks)
  if (headers !== undefined) {
    if (headers.length === 0) return
    if (headers.length === 1 && compact.preferences.prefersCompact(to.peer)) {
      compact.figures.announced.late++
      return sendCompact(sync, to, headers[0]!)
    }
    to.peer.send({ command: "headers", headers: headers.map(({ header }) => headerOf(header.bytes)) })
    to.bestSent = headers.at(-1)!
    return
  }
  const newest = blocks.at(-1)!
  if (isActive(sync.context.chain.tree, newest) && !hasHeader(to, newest)) {
    to.peer.send({ command: "inv", inventory: [{ type: InventoryType.BLOCK, hash: newest.hash }] })
  }
}
