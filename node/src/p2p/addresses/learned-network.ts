import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { endpointKey } from "../../net/endpoint-text.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { LearnedNetwork } from "../transport/learned-network.ts"
import { CHOSEN, type OwnAddress } from "./own-address.ts"

/** What was learned, with addresses of this node that lead to it now. */
export interface LearnedAddresses extends LearnedNetwork {
  readonly own: () => ReadonlyArray<OwnAddress>
}

/** `reachable`: gets Tor's network with its proxy, if `mayReach` does not rule it out. */
export const learnedNetwork = (
  reachable: Set<AddressKind>,
  mayReach: (kind: AddressKind) => boolean
): LearnedAddresses => {
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
