import type { UnixMilliseconds } from "../../quantities.ts"
import type { TickingPart } from "../peer/peer-part.ts"
import { STALE_TIP_CHECK, STALE_TIP_INTERVALS } from "./sync-limits.ts"
import { displayHash } from "../../hex.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/**
 * True if the tip may be stale: other nodes probably have a newer block that no peer announced (Core: `TipMayBeStale`).
 */
export const tipIsStale = (
  { context: { chain, network }, inFlight, tipSince }: SyncState,
  now: UnixMilliseconds
): boolean =>
  !chain.state().initialBlockDownload && inFlight.size === 0 &&
  now - tipSince > network.parameters.work.targetSpacing * 1_000 * STALE_TIP_INTERVALS

/**
 * Checks periodically for a stale tip. One more outbound peer is then wanted, since all peers may be cut off from the
 * rest of the network, or lie together. If blocks are mined on demand, no tip is stale.
 */
export const staleTipCheck = (sync: SyncState, wantExtra: (isWanted: boolean) => void): TickingPart => {
  const { chain, network, notify } = sync.context
  let nextLook = 0
  let staleSince: number | undefined
  let partition = ""
  const namesOf = (isMeant: (peer: PeerSync) => boolean): ReadonlyArray<string> =>
    [...sync.peers.values()].filter(isMeant).map(({ peer }) => peer.name)
  const look = (now: UnixMilliseconds): void => {
    const isStale = tipIsStale(sync, now)
    if (isStale && staleSince === undefined) {
      staleSince = now
      notify.log("warn", "no new block for long: one more peer is asked", {
        minutes: Math.round((now - sync.tipSince) / 60_000),
        seconds: Math.round((now - sync.tipSince) / 1_000)
      })
      partition = displayHash(chain.tree.tip.hash)
      notify.event("NetworkPartition", { reason: "no new block for long", tip: partition, peers: namesOf(() => true) })
    }
    if (!isStale && staleSince !== undefined) {
      const { tip } = chain.tree
      const peers = namesOf(({ best }) => best !== undefined && best.chainWork >= tip.chainWork)
      notify.event("NetworkReconnected", { duration_ms: now - staleSince, tip: partition, peers })
      staleSince = undefined
    }
    wantExtra(isStale)
  }
  return {
    name: "stale tip check",
    tickAll: (now) => {
      if (now < nextLook || network.parameters.work.noRetargeting) return
      // While the tip is stale, checks are frequent, to report its end soon.
      nextLook = now + (staleSince === undefined ? STALE_TIP_CHECK : 1_000)
      look(now)
    }
  }
}
