import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import type { Peer } from "../peer/peer.ts"
import { askForBlocks } from "./ask-for-blocks.ts"
import { forget } from "./blocks-in-flight.ts"
import type { SyncState } from "./sync-state.ts"

/** Asks a peer for one block because somebody wants it from there. Answers why that cannot be, in the words of the RPC. */
export const askForBlock = (sync: SyncState, peer: Peer, node: TreeNode): string | undefined => {
  const from = sync.peers.get(peer.id)
  if (from === undefined) return "Peer does not exist"
  if (!from.servesWitnesses) return "Pre-SegWit peer"
  const now = sync.context.environment.now()
  if (sync.inFlight.get(node.index)?.peer === from) return "Already requested from this peer"
  forget(sync, node, now)
  askForBlocks(sync, from, [node], now)
  return undefined
}
