import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { addressText } from "../endpoint/endpoint-text.ts"
import type { Environment } from "../environment.ts"
import type { P2pTell } from "../p2p-tell.ts"
import { type Ban, banList, type BanList } from "./ban-list.ts"
import { discouraged, type Discouraged } from "./discouraged.ts"
import { type Subnet, subnetText } from "./subnet.ts"

/** Who is not welcome, because an operator or its own behaviour says so. */
export interface Reputation {
  readonly bans: BanList
  readonly discouraged: Discouraged
  readonly isBanned: (address: NetworkAddress) => boolean
  readonly discourage: (address: NetworkAddress, reason: string) => void
  readonly ban: (ban: Ban) => boolean
  readonly unban: (subnet: Subnet) => boolean
  readonly clear: () => void
  /** Tells of bans that have ended. */
  readonly tick: () => void
}

export const reputation = ({ now }: Environment, tell: P2pTell, saved: ReadonlyArray<Ban> = []): Reputation => {
  const bans = banList()
  const shunned = discouraged()
  const seconds = (): number => Math.floor(now() / 1_000)
  for (const each of saved) if (each.until > seconds()) bans.ban(each)
  const unbanned = (ban: Ban): void => tell.event("PeerUnbanned", { peer: subnetText(ban.subnet) })
  return {
    bans,
    discouraged: shunned,
    isBanned: (address) => bans.isBanned(address, seconds()),
    discourage: (address, reason) => {
      shunned.add(address)
      tell.event("PeerBanned", { peer: addressText(address), reason })
    },
    ban: (ban) => {
      const isDone = bans.ban(ban)
      if (isDone) tell.event("PeerBanned", { peer: subnetText(ban.subnet), reason: "manually added", until: ban.until })
      return isDone
    },
    unban: (subnet) => {
      const isDone = bans.unban(subnet)
      if (isDone) tell.event("PeerUnbanned", { peer: subnetText(subnet) })
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
