import { lastCommonAncestor } from "@lockstep/kernel/chain"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { type PeerCompactFigures, peerCompactFigures } from "./compact-blocks/compact-figures.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/** What the sync knows of a peer. */
export interface SyncFigures {
  /** Headers of the presync so far; -1: none. */
  readonly presynced_headers: number
  /** Height of the last header that both have; -1: not known. */
  readonly synced_headers: number
  /** Height of the last block that both have; -1: not known. */
  readonly synced_blocks: number
  /** Heights of blocks in flight from it. */
  readonly inflight: ReadonlyArray<number>
  /** BIP152 high-bandwidth mode: whether this node selected the peer for it, and the peer this node. */
  readonly bip152_hb_to: boolean
  readonly bip152_hb_from: boolean
  readonly compactBlocks: Readonly<PeerCompactFigures>
}

/** The newest block of its chain that is here: while blocks come, a newer one than when it was last asked for some. */
const commonWith = (
  { context: { chain: { tree } } }: SyncState,
  { best, common }: PeerSync
): HeaderIndexNode | undefined => {
  if (common === undefined || best === undefined) return common
  const fork = lastCommonAncestor(tree.tip, best) as HeaderIndexNode
  return fork.chainWork > common.chainWork ? fork : common
}

/** Heights of blocks in flight from a peer. */
const heightsInFlight = (from: PeerSync | undefined): ReadonlyArray<number> =>
  from === undefined ? [] : [...from.inFlight.values()].map(({ node }) => node.height)

/** What the sync knows of a peer, for reports. */
export const syncFigures = (sync: SyncState, peer: Peer): SyncFigures => {
  const from = sync.peers.get(peer.id)
  const common = from === undefined ? undefined : commonWith(sync, from)
  return {
    presynced_headers: from?.presync?.phase === "adding up" ? from.presync.height : -1,
    synced_headers: from?.best?.height ?? -1,
    synced_blocks: common?.height ?? -1,
    inflight: heightsInFlight(from),
    bip152_hb_to: from?.isHighBandwidth ?? false,
    bip152_hb_from: sync.compact.preferences.prefersCompact(peer),
    compactBlocks: from?.compactBlocks ?? peerCompactFigures()
  }
}
