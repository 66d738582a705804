import { announceBlocks } from "./announce.ts"
import { isHalted } from "./blocks/engine-refusals.ts"
import { startHeaders } from "./headers/start-headers.ts"
import type { SyncState } from "./sync-state.ts"

/**
 * Sends what a new tip makes due, without waiting for a tick. All peers get announcements; those that had to wait for a
 * recent tip get the first request for headers. Bitcoin Core announces a block to its sender too, unless that peer has
 * announced the block.
 */
export const sendOnNewTip = (sync: SyncState): void => {
  const now = sync.context.environment.now()
  const halted = isHalted(sync)
  for (const to of sync.peers.values()) {
    if (to.peer.isGone) continue
    if (!halted) startHeaders(sync, to, now)
    announceBlocks(sync, to)
  }
}
