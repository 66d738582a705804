import type { UnixMilliseconds } from "../../../quantities.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import type { PeerSync } from "../peer-sync.ts"
import { FAR_BEHIND, FASTER, OWED_LONG, OWED_MUCH } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

/** Returns the known milliseconds that a peer takes for a block; Infinity if it never sent one. */
const paceOf = ({ arrived, interval, measuredSince }: PeerSync, now: UnixMilliseconds): number =>
  interval === Infinity && arrived > 0 ? (now - measuredSince) / arrived : interval

/**
 * Returns the same for a peer that owes a block: at least the time it has needed for that one so far, if that is more
 * than a short delay.
 */
const paceOfDebtor = (debtor: PeerSync, now: UnixMilliseconds): number => {
  const pace = paceOf(debtor, now)
  const waited = now - debtor.downloadingSince
  return Math.max(pace === Infinity ? 0 : pace, waited > OWED_LONG ? waited : 0)
}

/**
 * Returns the slow peer whose blocks in flight are requested from the idle peer `from`. It owes `owed`, and the
 * download waits for it although `from` would be done long before. `undefined` if it is worth waiting.
 */
export const slowPeerToReplace = (
  { context: { chain: { tree } }, inFlight }: SyncState,
  from: PeerSync,
  owed: ReadonlyArray<HeaderIndexNode>,
  now: UnixMilliseconds
): PeerSync | undefined => {
  const first = owed[0] === undefined ? undefined : inFlight.get(owed[0].index)?.[0]
  if (first === undefined || tree.bestHeader.height - tree.tip.height <= FAR_BEHIND) return undefined
  const { peer: debtor, since } = first
  if (debtor.isHeldUp || now - since < OWED_LONG) return undefined
  const pace = paceOfDebtor(debtor, now)
  const isSlow = pace * debtor.inFlight.size > OWED_MUCH && pace > FASTER * paceOf(from, now)
  return isSlow ? debtor : undefined
}

/** True if nothing at all has arrived from it for a while. */
export const isSilent = ({ peer }: PeerSync, now: UnixMilliseconds): boolean =>
  now - peer.traffic.lastReceive > OWED_LONG
