import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { secondsOf, type UnixSeconds } from "../../quantities.ts"
import { addressText } from "../../net/endpoint-text.ts"
import { type Misbehavior, misbehaviorText } from "../../runtime/misbehavior.ts"
import type { Environment } from "../basics/environment.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import { type Ban, banList, type BanList } from "./ban-list.ts"
import { discouraged, type Discouragement } from "./discouragement.ts"
import { type Subnet, subnetText } from "../../net/subnet.ts"

/** Addresses that an operator banned, or that are discouraged for misbehavior. */
export interface Reputation {
  readonly bans: BanList
  readonly discouraged: Discouragement
  readonly isBanned: (address: NetworkAddress) => boolean
  readonly discourage: (address: NetworkAddress, what: Misbehavior) => void
  readonly ban: (ban: Ban) => boolean
  readonly unban: (subnet: Subnet) => boolean
  readonly clear: () => void
  /** Reports bans that have expired. */
  readonly tick: () => void
}

export const reputation = (
  { now }: Environment,
  notify: P2pNotifications,
  saved: ReadonlyArray<Ban> = []
): Reputation => {
  const bans = banList()
  const shunned = discouraged()
  const seconds = (): UnixSeconds => secondsOf(now())
  for (const each of saved) if (each.until > seconds()) bans.ban(each)
  const unbanned = (ban: Ban): void => notify.event("PeerUnbanned", { peer: subnetText(ban.subnet) })
  return {
    bans,
    discouraged: shunned,
    isBanned: (address) => bans.isBanned(address, seconds()),
    discourage: (address, what) => {
      shunned.add(address)
      notify.event("PeerBanned", { peer: addressText(address), reason: misbehaviorText(what) })
    },
    ban: (ban) => {
      const isDone = bans.ban(ban)
      if (isDone) {
        notify.event("PeerBanned", { peer: subnetText(ban.subnet), reason: "manually added", until: ban.until })
      }
      return isDone
    },
    unban: (subnet) => {
      const isDone = bans.unban(subnet)
      if (isDone) notify.event("PeerUnbanned", { peer: subnetText(subnet) })
      return isDone
    },
    clear: () => {
      for (const ban of bans.list(seconds())) unbanned(ban)
      bans.clear()
    },
    tick: () => {
      for (const ban of bans.expire(seconds())) unbanned(ban)
    }
  }
}
