import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { endpointKey } from "../../net/endpoint-text.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { LearnedNetwork } from "../transport/learned-network.ts"
import { CHOSEN, type OwnAddress } from "./own-address.ts"

/** State learned about networks, with this node's own addresses in them. */
export interface LearnedAddresses extends LearnedNetwork {
  readonly own: () => ReadonlyArray<OwnAddress>
}

/** Makes the record. Tor's network is added to `reachable` with its proxy, unless `mayReach` excludes it. */
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
    // This node is not advertised in networks that it does not use.
    own: () => [...own.values()].filter(({ address }) => reachable.has(addressKind(address)!)),
    addOwn: (endpoint) => void own.set(endpointKey(endpoint), { ...endpoint, score: CHOSEN }),
    removeOwn: (endpoint) => void own.delete(endpointKey(endpoint))
  }
}
