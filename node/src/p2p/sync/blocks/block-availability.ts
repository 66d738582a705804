import { ancestorAt } from "@lockstep/kernel/chain"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { nodeOf } from "../../../engine/header-index/header-index.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

const isOn = (chain: HeaderIndexNode | undefined, node: HeaderIndexNode): boolean =>
  chain !== undefined && ancestorAt(chain, node.height) === node

/** True if the peer has the header: this node sent it, or the peer announced it. */
export const hasHeader = ({ best, bestSent }: PeerSync, node: HeaderIndexNode): boolean =>
  isOn(best, node) || isOn(bestSent, node)

const has = (from: PeerSync, node: HeaderIndexNode): void => {
  if (from.best === undefined || node.chainWork >= from.best.chainWork) from.best = node
}

/** Looks up once more the unknown block that the peer announced. */
export const resolveAnnounced = ({ context }: SyncState, from: PeerSync): void => {
  if (from.unknown === undefined) return
  const node = nodeOf(context.chain.tree, from.unknown)
  if (node === undefined) return
  has(from, node)
  from.unknown = undefined
}

/** Records that the peer announced this block. */
export const noteAnnounced = (sync: SyncState, from: PeerSync, hash: Uint8Array): void => {
  resolveAnnounced(sync, from)
  const node = nodeOf(sync.context.chain.tree, hash)
  // Copied, as the hash may be a view of a message of two megabytes, which would stay in memory.
  if (node === undefined) from.unknown = hash.slice()
  else has(from, node)
}
