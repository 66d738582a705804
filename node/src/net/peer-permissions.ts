import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { parseSubnet, type Subnet, subnetHolds } from "./subnet.ts"

/** What an operator lets inbound peers do beyond others, by Bitcoin Core's names. */
export const PEER_PERMISSIONS = ["forcerelay", "relay", "mempool"] as const

export type PeerPermission = (typeof PEER_PERMISSIONS)[number]

export type PeerPermissions = ReadonlySet<PeerPermission>

const NONE: PeerPermissions = new Set()

interface Grant {
  readonly subnet: Subnet
  readonly permissions: PeerPermissions
}

/** Reads `relay,mempool@192.0.2.0/24`; none for anything else. A peer that may force relay may relay. */
export const parseGrant = (text: string): Grant | undefined => {
  const [names, place, more] = text.split("@")
  const subnet = place === undefined || more !== undefined ? undefined : parseSubnet(place)
  const permissions = new Set<PeerPermission>()
  for (const name of names!.split(",")) {
    const permission = PEER_PERMISSIONS.find((each) => each === name)
    if (permission === undefined) return undefined
    permissions.add(permission)
    if (permission === "forcerelay") permissions.add("relay")
  }
  return subnet === undefined ? undefined : { subnet, permissions }
}

/** What peers at an address may do: all that a grant for it says. */
export const permitting = (texts: ReadonlyArray<string>): (address: NetworkAddress) => PeerPermissions => {
  const grants = texts.flatMap((text) => parseGrant(text) ?? [])
  return (address) => {
    const holding = grants.filter(({ subnet }) => subnetHolds(subnet, address))
    return holding.length === 0 ? NONE : new Set(holding.flatMap(({ permissions }) => [...permissions]))
  }
}

export const noPermissions = (): PeerPermissions => NONE
