import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { endpointKey } from "../net/endpoint-text.ts"
import type { Endpoint } from "../net/endpoint.ts"
import { CHOSEN } from "./addresses/own-address.ts"
import type { OwnAddress } from "./network.ts"

/** What other programs on the machine, such as Tor, say while the node runs. */
export interface LearnedNetwork {
  /** The proxy through which Tor reaches onion services; none: nothing was learned. */
  readonly onionProxy: () => Endpoint | undefined
  readonly learnOnionProxy: (proxy: Endpoint) => void
  /** Addresses of this node that lead to it now. */
  readonly own: () => ReadonlyArray<OwnAddress>
  readonly addOwn: (endpoint: Endpoint) => void
  readonly removeOwn: (endpoint: Endpoint) => void
}

/** `reachable`: gets Tor's network with its proxy, if `mayReach` does not rule it out. */
export const learnedNetwork = (
  reachable: Set<AddressKind>,
  mayReach: (kind: AddressKind) => boolean
): LearnedNetwork => {
  let onionProxy: Endpoint | undefined
  const own = new Map<string, OwnAddress>()
  return {
    onionProxy: () => onionProxy,
    learnOnionProxy: (proxy) => {
      onionProxy = proxy
      if (mayReach("onion")) reachable.add("onion")
    },
    // In a network that this node stays out of it is not to be known either.
    own: () => [...own.values()].filter(({ address }) => reachable.has(addressKind(address)!)),
    addOwn: (endpoint) => void own.set(endpointKey(endpoint), { ...endpoint, score: CHOSEN }),
    removeOwn: (endpoint) => void own.delete(endpointKey(endpoint))
  }
}
