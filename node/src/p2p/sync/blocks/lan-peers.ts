import type { UnixMilliseconds } from "../../../quantities.ts"
import { isLan, isLocal } from "../../../net/address-place.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

/** A single LAN peer would decide alone how fast the download is, or could prevent it. */
const ENOUGH = 2

export const isLanPeer = ({ peer: { endpoint: { address } } }: PeerSync): boolean => isLan(address) || isLocal(address)

/**
 * True if several peers on this machine and in the operator's own network can send everything missing, which saves
 * internet traffic. A peer that is paused, as it did not send requested blocks, does not count.
 */
export const lanPeersSuffice = ({ context: { chain: { tree } }, peers }: SyncState, now: UnixMilliseconds): boolean => {
  let count = 0
  for (const each of peers.values()) {
    const hasAll = each.best !== undefined && each.best.chainWork >= tree.bestHeader.chainWork
    if (each.isPreferred && !each.isLimited && hasAll && now >= each.pausedUntil && isLanPeer(each)) count++
  }
  return count >= ENOUGH
}
