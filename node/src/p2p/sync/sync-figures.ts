import type { Height } from "@lockstep/kernel/quantities"
import { lastCommonAncestor } from "@lockstep/kernel/chain"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { type PeerCompactFigures, peerCompactFigures } from "./compact-blocks/compact-figures.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/** What the sync knows of a peer. */
export interface SyncFigures {
  /** Height that the presync has reached; none: there is none. */
  readonly presyncedHeight: Height | undefined
  /** Height of the last header that both have; none: not known. */
  readonly headersHeight: Height | undefined
  /** Height of the last block that both have; none: not known. */
  readonly blocksHeight: Height | undefined
  /** Heights of blocks in flight from it. */
  readonly inFlight: ReadonlyArray<Height>
  /** BIP152 high-bandwidth mode: whether this node selected the peer for it, and the peer this node. */
  readonly isHighBandwidth: boolean
  readonly choseUs: boolean
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
const heightsInFlight = (from: PeerSync | undefined): ReadonlyArray<Height> =>
  from === undefined ? [] : [...from.inFlight.values()].map(({ node }) => node.height)

/** What the sync knows of a peer, for reports. */
export const syncFigures = (sync: SyncState, peer: Peer): SyncFigures => {
  const from = sync.peers.get(peer.id)
  const common = from === undefined ? undefined : commonWith(sync, from)
  return {
    presyncedHeight: from?.presync?.phase === "adding up" ? from.presync.height : undefined,
    headersHeight: from?.best?.height,
    blocksHeight: common?.height,
    inFlight: heightsInFlight(from),
    isHighBandwidth: from?.isHighBandwidth ?? false,
    choseUs: sync.compact.preferences.prefersCompact(peer),
    compactBlocks: from?.compactBlocks ?? peerCompactFigures()
  }
}
