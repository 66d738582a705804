import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/** Traces a header that a peer sent first (Core: `LogBlockHeader`). The initial download has many. */
export const noteNewHeader = (
  { context: { chain, notify } }: SyncState,
  { peer }: PeerSync,
  { hash, height }: HeaderIndexNode,
  via: "cmpctblock" | "headers"
): void => {
  const isDownloading = chain.state().initialBlockDownload
  notify.trace?.({ _tag: "HeaderSeen", hash, height, peer: peer.id, via, isDownloading })
}
