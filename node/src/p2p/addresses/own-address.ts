import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkGroup } from "../endpoint/address-place.ts"
import { addressKey } from "../endpoint/endpoint-text.ts"
import type { OwnAddress } from "../network.ts"
import type { Peer } from "../peer/peer.ts"
import type { Endpoint } from "../transport/transport.ts"

/** One peer alone could make us tell anybody's address as ours. */
const LEAST_WITNESSES = 2

/** What an address that the operator chose counts. */
const CHOSEN = 4

/** Where peers that we connected to see us, with how many networks they are in. */
const sightings = (peers: Iterable<Peer>): ReadonlyArray<readonly [NetworkAddress, number]> => {
  const found = new Map<string, { readonly address: NetworkAddress; readonly groups: Set<string> }>()
  for (const { endpoint, hello, inbound, isReady } of peers) {
    const seen = hello?.addressSeen?.address
    if (inbound || !isReady || seen === undefined || !isRoutable(seen)) continue
    const key = addressKey(seen)
    const entry = found.get(key) ?? { address: seen, groups: new Set() }
    entry.groups.add(networkGroup(endpoint.address))
    found.set(key, entry)
  }
  return [...found.values()].map(({ address, groups }) => [address, groups.size])
}

/** Where others can reach us, the likeliest first: the addresses we listen at, or else where several networks see us. */
export const ownAddresses = (peers: Iterable<Peer>, listening: ReadonlyArray<Endpoint>): ReadonlyArray<OwnAddress> => {
  const chosen = listening.filter(({ address }) => isRoutable(address))
  if (chosen.length > 0) return chosen.map((endpoint) => ({ ...endpoint, score: CHOSEN }))
  const [first] = listening
  if (first === undefined) return []
  return sightings(peers).filter(([, score]) => score >= LEAST_WITNESSES).toSorted(([, a], [, b]) => b - a)
    .map(([address, score]) => ({ address, port: first.port, score }))
}
