import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkGroup } from "../../net/address-place.ts"
import { addressKey } from "../../net/endpoint-text.ts"
import type { Peer } from "../peer/peer.ts"
import type { Endpoint } from "../../net/endpoint.ts"

/** This node's own addresses, as far as they are known. */
export interface OwnAddress extends Endpoint {
  readonly score: number
}

/** A single peer could make this node advertise any address as its own. */
const LEAST_WITNESSES = 2

/** What an address that the operator chose counts. */
export const CHOSEN = 4

/** Where outbound peers see this node, with how many networks they are in. */
const sightings = (peers: Iterable<Peer>): ReadonlyArray<readonly [NetworkAddress, number]> => {
  const found = new Map<string, { readonly address: NetworkAddress; readonly groups: Set<string> }>()
  for (const { endpoint, hello, inbound, isReady, kind } of peers) {
    const seen = hello?.addressSeen?.address
    if (inbound || kind === "private-broadcast" || !isReady || seen === undefined || !isRoutable(seen)) continue
    const key = addressKey(seen)
    const entry = found.get(key) ?? { address: seen, groups: new Set() }
    entry.groups.add(networkGroup(endpoint.address))
    found.set(key, entry)
  }
  return [...found.values()].map(({ address, groups }) => [address, groups.size])
}

const isOf = (kinds: ReadonlySet<AddressKind> | undefined, address: NetworkAddress): boolean => {
  const kind = addressKind(address)
  return kinds === undefined || (kind !== undefined && kinds.has(kind))
}

/**
 * Local addresses, where others can reach this node, the likeliest first: the addresses we listen at, or else where
 * several networks see us. `kinds`: the only networks in which an operator wants to be known; none: all.
 */
export const ownAddresses = (
  peers: Iterable<Peer>,
  listening: ReadonlyArray<Endpoint>,
  kinds?: ReadonlySet<AddressKind>
): ReadonlyArray<OwnAddress> => {
  const chosen = listening.filter(({ address }) => isRoutable(address) && isOf(kinds, address))
  if (chosen.length > 0) return chosen.map((endpoint) => ({ ...endpoint, score: CHOSEN }))
  const [first] = listening
  if (first === undefined) return []
  return sightings(peers).filter(([address, score]) => score >= LEAST_WITNESSES && isOf(kinds, address)).toSorted((
    [, a],
    [, b]
  ) => b - a)
    .map(([address, score]) => ({ address, port: first.port, score }))
}
