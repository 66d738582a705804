import type { Height } from "@lockstep/kernel/quantities"
import { lastCommonAncestor } from "@lockstep/kernel/chain"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { type PeerCompactFigures, peerCompactFigures } from "./compact-blocks/compact-figures.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/** Figures of the sync about a peer. */
export interface SyncFigures {
  /** Height that the presync has reached; `undefined` without a presync. */
  readonly presyncedHeight: Height | undefined
  /** Height of the last common header; `undefined` if unknown. */
  readonly headersHeight: Height | undefined
  /** Height of the last common block; `undefined` if unknown. */
  readonly blocksHeight: Height | undefined
  /** Heights of blocks in flight from it. */
  readonly inFlight: ReadonlyArray<Height>
  /** BIP152 high-bandwidth mode: whether this node selected the peer, and the peer selected this node. */
  readonly isHighBandwidth: boolean
  readonly choseUs: boolean
  readonly compactBlocks: Readonly<PeerCompactFigures>
}

/** Returns the newest stored block of its chain. While blocks arrive, it is newer than at the last request. */
const commonWith = (
  { context: { chain: { tree } } }: SyncState,
  { best, common }: PeerSync
): HeaderIndexNode | undefined => {
  if (common === undefined || best === undefined) return common
  const fork = lastCommonAncestor(tree.tip, best) as HeaderIndexNode
  return fork.chainWork > common.chainWork ? fork : common
}

/** Returns the heights of the blocks in flight from a peer. */
const heightsInFlight = (from: PeerSync | undefined): ReadonlyArray<Height> =>
  from === undefined ? [] : [...from.inFlight.values()].map(({ node }) => node.height)

/** Returns the figures of the sync about a peer. */
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
