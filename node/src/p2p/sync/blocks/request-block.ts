import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import type { Peer } from "../../peer/peer.ts"
import { requestMissingBlocks } from "./request-blocks.ts"
import { forget } from "./blocks-in-flight.ts"
import type { SyncState } from "../sync-state.ts"

/**
 * Requests one block from a peer for the operator. Returns the reason if that is impossible, in the words of the RPC.
 */
export const requestBlock = (sync: SyncState, peer: Peer, node: HeaderIndexNode): string | undefined => {
  const from = sync.peers.get(peer.id)
  if (from === undefined) return "Peer does not exist"
  if (!from.servesWitnesses) return "Pre-SegWit peer"
  const now = sync.context.environment.now()
  if (from.inFlight.has(node.index)) return "Already requested from this peer"
  forget(sync, node, now)
  requestMissingBlocks(sync, from, [node], now)
  return undefined
}
