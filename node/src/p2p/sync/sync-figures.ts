import type { Peer } from "../peer/peer.ts"
import type { SyncFigures } from "../peer-figures.ts"
import type { SyncState } from "./sync-state.ts"

/** What the sync knows of a peer, as people are told. */
export const syncFigures = ({ peers }: SyncState, { id }: Peer): SyncFigures => {
  const from = peers.get(id)
  return {
    presynced_headers: from?.presync?.phase === "adding up" ? from.presync.height : -1,
    synced_headers: from?.best?.height ?? -1,
    synced_blocks: from?.common?.height ?? -1,
    inflight: [...from?.inFlight.values() ?? []].map(({ node }) => node.height),
    // Compact blocks are not asked for, nor told unasked.
    bip152_hb_to: false,
    bip152_hb_from: false
  }
}
