import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkGroup } from "../endpoint/address-place.ts"
import { addressKey, endpointKey } from "../endpoint/endpoint-text.ts"
import type { Peer, PeerKind } from "../peer/peer.ts"
import type { Endpoint } from "../transport/transport.ts"
import type { Dialer } from "./dialer.ts"

/** What connections there are, with those being made. */
export interface Standing {
  readonly count: (kind: PeerKind) => number
  /** Network groups that outbound connections, the manual ones too, lead to. */
  readonly groups: () => ReadonlySet<string>
  readonly isConnectedTo: (endpoint: Endpoint) => boolean
  readonly isConnectedToAddress: (address: NetworkAddress) => boolean
}

/** Kinds whose connection is for long. */
const LASTING: ReadonlySet<PeerKind> = new Set<PeerKind>(["outbound-full-relay", "block-relay-only", "manual"])

export const standing = (peers: ReadonlyMap<number, Peer>, underWay: Dialer["underWay"]): Standing => {
  const all = function*(): Generator<{ readonly endpoint: Endpoint; readonly kind: PeerKind }> {
    for (const peer of peers.values()) if (!peer.isGone) yield peer
    yield* underWay.values()
  }
  return {
    count: (kind) => {
      let found = 0
      for (const each of all()) if (each.kind === kind) found++
      return found
    },
    groups: () => {
      const found = new Set<string>()
      for (const { endpoint, kind } of all()) if (LASTING.has(kind)) found.add(networkGroup(endpoint.address))
      return found
    },
    isConnectedTo: (endpoint) => {
      const key = endpointKey(endpoint)
      for (const each of all()) if (endpointKey(each.endpoint) === key) return true
      return false
    },
    isConnectedToAddress: (address) => {
      const key = addressKey(address)
      for (const { endpoint } of all()) if (addressKey(endpoint.address) === key) return true
      return false
    }
  }
}
