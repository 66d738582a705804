import { isForBlocks } from "../../peer/peer.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

/** True if all headers of the peer are known, or it left a request for them unanswered. */
const hadItsChance = ({ headersDoneSince, headersFailures }: PeerSync): boolean =>
  headersDoneSince !== 0 || headersFailures > 0

/** True if every connected peer that serves blocks has sent all its headers, or had time to. */
export const allPeersHadTheirChance = ({ peers }: SyncState): boolean => {
  for (const each of peers.values()) {
    if (each.servesBlocks && isForBlocks(each.peer) && !each.peer.isGone && !hadItsChance(each)) return false
  }
  return true
}
