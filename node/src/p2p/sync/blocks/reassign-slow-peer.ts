import type { UnixMilliseconds } from "../../../quantities.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import type { PeerSync } from "../peer-sync.ts"
import { FAR_BEHIND, FASTER, OWED_LONG, OWED_MUCH } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

/** Milliseconds that a peer takes for a block, as far as is known; Infinity: it never sent one. */
const paceOf = ({ arrived, interval, measuredSince }: PeerSync, now: UnixMilliseconds): number =>
  interval === Infinity && arrived > 0 ? (now - measuredSince) / arrived : interval

/**
 * The same of one that owes a block: no less than it has needed for that one so far, once that is more than a hiccup.
 */
const paceOfDebtor = (debtor: PeerSync, now: UnixMilliseconds): number => {
  const pace = paceOf(debtor, now)
  const waited = now - debtor.downloadingSince
  return Math.max(pace === Infinity ? 0 : pace, waited > OWED_LONG ? waited : 0)
}

/**
 * The slow peer whose blocks in flight are requested from the idle peer `from`. It owes `owed`, and the download waits
 * for it although `from` would be done long before. Nothing: it is worth waiting.
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

/** Whether nothing at all has come from it for a while. */
export const isSilent = ({ peer }: PeerSync, now: UnixMilliseconds): boolean =>
  now - peer.traffic.lastReceive > OWED_LONG
