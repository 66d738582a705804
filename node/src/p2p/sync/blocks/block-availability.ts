import { ancestorAt } from "@lockstep/kernel/chain"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { nodeOf } from "../../../engine/header-index/header-index.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

const isOn = (chain: HeaderIndexNode | undefined, node: HeaderIndexNode): boolean =>
  chain !== undefined && ancestorAt(chain, node.height) === node

/** Whether the peer has the header: from us, or because it said so. */
export const hasHeader = ({ best, bestSent }: PeerSync, node: HeaderIndexNode): boolean =>
  isOn(best, node) || isOn(bestSent, node)

const has = (from: PeerSync, node: HeaderIndexNode): void => {
  if (from.best === undefined || node.chainWork >= from.best.chainWork) from.best = node
}

/** Looks once more for the block that the peer announced and that was not known. */
export const resolveAnnounced = ({ context }: SyncState, from: PeerSync): void => {
  if (from.unknown === undefined) return
  const node = nodeOf(context.chain.tree, from.unknown)
  if (node === undefined) return
  has(from, node)
  from.unknown = undefined
}

/** The peer has this block: it said so. */
export const noteAnnounced = (sync: SyncState, from: PeerSync, hash: Uint8Array): void => {
  resolveAnnounced(sync, from)
  const node = nodeOf(sync.context.chain.tree, hash)
  // A copy: the hash may be a part of a message of two megabytes, which would be kept with it.
  if (node === undefined) from.unknown = hash.slice()
  else has(from, node)
}
