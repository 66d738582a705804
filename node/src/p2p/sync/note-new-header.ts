import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { displayHash } from "../../hex.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/** A line about a header that a peer showed first (Core: `LogBlockHeader`). In the initial download there are many. */
export const noteNewHeader = (
  { context: { chain, notify } }: SyncState,
  { peer }: PeerSync,
  { hash, height }: HeaderIndexNode,
  how: "" | "cmpctblock "
): void => {
  const text = `Saw new ${how}header hash=${displayHash(hash)} height=${height} peer=${peer.id}`
  notify.trace?.(
    chain.state().initialBlockDownload
      ? { _tag: "Detail", category: "validation", text }
      : { _tag: "Said", text }
  )
}
