import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Endpoint } from "./endpoint.ts"
import { endpointKey } from "./endpoint-text.ts"
import { parseSubnet, type Subnet, subnetHolds } from "./subnet.ts"

/** Permissions that an operator can grant to inbound peers, by Bitcoin Core's names. */
export const PEER_PERMISSIONS = ["bloomfilter", "forcerelay", "relay", "mempool"] as const

/** Permissions in a grant of Bitcoin Core's form, in the order in which Bitcoin Core shows them. */
export const ALL_PERMISSIONS = ["bloomfilter", "noban", "forcerelay", "relay", "mempool", "download", "addr"] as const

export type PeerPermission = (typeof ALL_PERMISSIONS)[number]

export type PeerPermissions = ReadonlySet<PeerPermission>

const NONE: PeerPermissions = new Set()

/** The facts of a connection that permissions depend on. */
export interface ConnectionPlace {
  readonly address: NetworkAddress
  /** The endpoint of this node that the peer connected to. */
  readonly local?: Endpoint | undefined
  readonly inbound: boolean
  /** The network of the peer, if its address does not show it. */
  readonly network?: AddressKind | undefined
}

/** Permissions of the peers in a subnet, or of those that connect to an endpoint of this node. */
export interface Grant {
  readonly to: { readonly subnet: Subnet } | { readonly local: Endpoint }
  readonly permissions: PeerPermissions
  readonly inbound: boolean
  readonly outbound: boolean
}

const IMPLIED: Partial<Record<PeerPermission, PeerPermission>> = { forcerelay: "relay", noban: "download" }

/** Adds the permissions that these imply. */
export const withImplied = (names: Iterable<PeerPermission>): PeerPermissions => {
  const permissions = new Set<PeerPermission>()
  for (const name of names) {
    permissions.add(name)
    const implied = IMPLIED[name]
    if (implied !== undefined) permissions.add(implied)
  }
  return permissions
}

/** Parses `relay,mempool@192.0.2.0/24`. Returns `undefined` for an invalid text. `forcerelay` implies `relay`. */
export const parseGrant = (text: string): Grant | undefined => {
  const [names, place, more] = text.split("@")
  const subnet = place === undefined || more !== undefined ? undefined : parseSubnet(place)
  const permissions: Array<PeerPermission> = []
  for (const name of names!.split(",")) {
    const permission = PEER_PERMISSIONS.find((each) => each === name)
    if (permission === undefined) return undefined
    permissions.push(permission)
  }
  return subnet === undefined
    ? undefined
    : { to: { subnet }, permissions: withImplied(permissions), inbound: true, outbound: false }
}

const isFor = ({ inbound, outbound, to }: Grant, place: ConnectionPlace): boolean => {
  if (!(place.inbound ? inbound : outbound)) return false
  return "subnet" in to
    // Peers of an onion service all have an address of this machine.
    ? place.network === undefined && subnetHolds(to.subnet, place.address)
    : place.local !== undefined && endpointKey(to.local) === endpointKey(place.local)
}

/** Makes a function that returns the permissions of a connection: those of all matching grants. */
export const permitting = (grants: ReadonlyArray<Grant>): (place: ConnectionPlace) => PeerPermissions => (place) => {
  const holding = grants.filter((grant) => isFor(grant, place))
  return holding.length === 0 ? NONE : new Set(holding.flatMap(({ permissions }) => [...permissions]))
}

export const noPermissions = (): PeerPermissions => NONE
