import type { UnixMilliseconds } from "../../quantities.ts"
import type { TickingPart } from "../peer/peer-part.ts"
import { STALE_TIP_CHECK, STALE_TIP_INTERVALS } from "./sync-limits.ts"
import type { SyncState } from "./sync-state.ts"

/**
 * Whether the tip may be stale: it is likely that other nodes have a newer block which no peer announced (Core:
 * `TipMayBeStale`).
 */
export const tipIsStale = (
  { context: { chain, network }, inFlight, tipSince }: SyncState,
  now: UnixMilliseconds
): boolean =>
  !chain.state().initialBlockDownload && inFlight.size === 0 &&
  now - tipSince > network.parameters.work.targetSpacing * 1_000 * STALE_TIP_INTERVALS

/**
 * Checks now and then for a stale tip. One more outbound peer is then wanted, since all peers may be cut off from the
 * rest of the network, or lie together. Where blocks are mined on demand, no tip is stale.
 */
export const staleTipCheck = (sync: SyncState, wantExtra: (isWanted: boolean) => void): TickingPart => {
  const { network, notify } = sync.context
  let nextLook = 0
  let staleSince: number | undefined
  const look = (now: UnixMilliseconds): void => {
    const isStale = tipIsStale(sync, now)
    if (isStale && staleSince === undefined) {
      staleSince = now
      notify.log("warn", "no new block for long: one more peer is asked", {
        minutes: Math.round((now - sync.tipSince) / 60_000)
      })
      notify.event("NetworkPartition", { reason: "no new block for long" })
    }
    if (!isStale && staleSince !== undefined) {
      notify.event("NetworkReconnected", { duration_ms: now - staleSince })
      staleSince = undefined
    }
    wantExtra(isStale)
  }
  return {
    name: "stale tip check",
    tickAll: (now) => {
      if (now < nextLook || network.parameters.work.noRetargeting) return
      // Once it is stale, the news that it is not any more is waited for.
      nextLook = now + (staleSince === undefined ? STALE_TIP_CHECK : 1_000)
      look(now)
    }
  }
}
