import type { UnixMilliseconds } from "../../../quantities.ts"
import { isLan, isLocal } from "../../../net/address-place.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

/** One LAN peer alone would decide how fast the download is, and whether there is one. */
const ENOUGH = 2

export const isLanPeer = ({ peer: { endpoint: { address } } }: PeerSync): boolean => isLan(address) || isLocal(address)

/**
 * Whether several peers on this machine and in the operator's own network can send all that is missing: then the line
 * to the internet is spared. One that rests, since it did not send what it was asked for, does not count.
 */
export const lanPeersSuffice = ({ context: { chain: { tree } }, peers }: SyncState, now: UnixMilliseconds): boolean => {
  let count = 0
  for (const each of peers.values()) {
    const hasAll = each.best !== undefined && each.best.chainWork >= tree.bestHeader.chainWork
    if (each.isPreferred && !each.isLimited && hasAll && now >= each.pausedUntil && isLanPeer(each)) count++
  }
  return count >= ENOUGH
}
