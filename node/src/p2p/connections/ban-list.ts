import { compareBytes } from "@lockstep/kernel/bytes"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { type UnixSeconds, unixSeconds } from "../../quantities.ts"
import { addressKey } from "../../net/endpoint-text.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import { parseSubnet, type Subnet, subnetHolds, subnetOf, subnetText } from "../../net/subnet.ts"

/** A banned address or subnet. */
export interface Ban {
  readonly subnet: Subnet
  readonly created: UnixSeconds
  readonly until: UnixSeconds
}

/** Banned subnets: no connections to or from them. Bounded, so that a lookup stays cheap (CVE-2020-14198). */
export interface BanList {
  readonly isBanned: (address: NetworkAddress, now: UnixSeconds) => boolean
  /** True if exactly this subnet is on the list. */
  readonly has: (subnet: Subnet, now: UnixSeconds) => boolean
  /** Bans the subnet, or extends its ban. Returns true if the list has room for it. */
  readonly ban: (ban: Ban) => boolean
  readonly unban: (subnet: Subnet) => boolean
  readonly clear: () => void
  /** Returns the bans in force, in order of network, address and prefix length. */
  readonly list: (now: UnixSeconds) => ReadonlyArray<Ban>
  /** Removes the bans that have ended and returns them. */
  readonly expire: (now: UnixSeconds) => ReadonlyArray<Ban>
  /** Incremented with each change. */
  readonly version: () => number
}

const isOne = ({ address, bits }: Subnet): boolean => bits === address.bytes.length * 8

const keyOf = ({ address, bits }: Subnet): string => `${addressKey(address)}/${bits}`

/** Sort key by network, then address, then prefix length, as Bitcoin Core lists them. */
const orderOf = ({ subnet: { address, bits } }: Ban): Uint8Array => {
  const order = new Uint8Array(address.bytes.length + 2)
  order[0] = address.network
  order.set(address.bytes, 1)
  order[address.bytes.length + 1] = bits
  return order
}

export const banList = (): BanList => {
  const bans = new Map<string, Ban>()
  /** Single addresses are looked up in a map; only larger subnets are scanned. */
  const wide = new Set<Ban>()
  let version = 0
  const remove = (key: string, ban: Ban): void => {
    bans.delete(key)
    wide.delete(ban)
    version++
  }
  const expire = (now: UnixSeconds): ReadonlyArray<Ban> => {
    const ended = [...bans].filter(([, ban]) => ban.until <= now)
    for (const [key, ban] of ended) remove(key, ban)
    return ended.map(([, ban]) => ban)
  }
  return {
    isBanned: (address, now) => {
      const exact = bans.get(keyOf(subnetOf(address)))
      if (exact !== undefined && exact.until > now) return true
      for (const { subnet, until } of wide) if (until > now && subnetHolds(subnet, address)) return true
      return false
    },
    has: (subnet, now) => (bans.get(keyOf(subnet))?.until ?? 0) > now,
    ban: (ban) => {
      const key = keyOf(ban.subnet)
      const before = bans.get(key)
      if (before === undefined && bans.size >= CONNECTION_LIMITS.bans.most) return false
      if (before !== undefined && before.until >= ban.until) return true
      if (before !== undefined) remove(key, before)
      bans.set(key, ban)
      if (!isOne(ban.subnet)) wide.add(ban)
      version++
      return true
    },
    unban: (subnet) => {
      const key = keyOf(subnet)
      const ban = bans.get(key)
      if (ban !== undefined) remove(key, ban)
      return ban !== undefined
    },
    clear: () => {
      bans.clear()
      wide.clear()
      version++
    },
    list: (now) =>
      [...bans.values()].filter(({ until }) => until > now).toSorted((a, b) => compareBytes(orderOf(a), orderOf(b))),
    expire,
    version: () => version
  }
}

/** Encodes bans in the format of Bitcoin Core's `banlist.json`. */
export const encodeBans = (bans: ReadonlyArray<Ban>): string =>
  `${
    JSON.stringify(
      {
        banned_nets: bans.map(({ created, subnet, until }) => ({
          version: 1,
          ban_created: created,
          banned_until: until,
          address: subnetText(subnet)
        }))
      },
      undefined,
      2
    )
  }\n`

const banOf = (value: unknown): Ban | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const { address, ban_created: created, banned_until: until } = value as Readonly<Record<string, unknown>>
  const subnet = typeof address === "string" ? parseSubnet(address) : undefined
  if (subnet === undefined || typeof created !== "number" || typeof until !== "number") return undefined
  return { subnet, created: unixSeconds(created), until: unixSeconds(until) }
}

/** Decodes the bans of a file's text, or returns `undefined` for another kind of file. Invalid entries are skipped. */
export const decodeBans = (text: string): ReadonlyArray<Ban> | undefined => {
  try {
    const value = JSON.parse(text) as unknown
    const nets = (value as Readonly<Record<string, unknown>> | null)?.["banned_nets"]
    return Array.isArray(nets) ? nets.flatMap((each) => banOf(each) ?? []) : undefined
  } catch {
    return undefined
  }
}
