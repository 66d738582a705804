import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkGroup } from "../../net/address-place.ts"
import { addressKey } from "../../net/endpoint-text.ts"
import type { Peer } from "../peer/peer.ts"
import type { Endpoint } from "../../net/endpoint.ts"

/** One of this node's own addresses. The score ranks the likeliest first. */
export interface OwnAddress extends Endpoint {
  readonly score: number
}

/** Minimum number of witnesses. With one, a single peer could make this node advertise any address as its own. */
const LEAST_WITNESSES = 2

/** Score of an address that the operator chose. */
export const CHOSEN = 4

/** Returns the addresses at which outbound peers see this node, with the number of network groups of these peers. */
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
 * Returns the local addresses, at which others can reach this node, the likeliest first: the listening addresses, or
 * else those at which several networks see it. `kinds` restricts them to the networks in which the operator wants to be
 * known; all if absent.
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
