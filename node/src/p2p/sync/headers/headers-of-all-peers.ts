import { isForBlocks } from "../../peer/peer.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

/** Whether all headers of the peer are known, or it left a request for them unanswered. */
const hadItsChance = ({ headersDoneSince, headersFailures }: PeerSync): boolean =>
  headersDoneSince !== 0 || headersFailures > 0

/** Whether every connected peer that serves blocks has shown its chain, or had its chance to. */
export const allPeersHadTheirChance = ({ peers }: SyncState): boolean => {
  for (const each of peers.values()) {
    if (each.servesBlocks && isForBlocks(each.peer) && !each.peer.isGone && !hadItsChance(each)) return false
  }
  return true
}
