import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkGroup } from "../endpoint/address-place.ts"
import { addressKey, endpointKey } from "../endpoint/endpoint-text.ts"
import type { Peer, PeerKind } from "../peer/peer.ts"
import type { Endpoint } from "../transport/transport.ts"
import type { Dialer } from "./dialer.ts"

/** What connections there are, with those being made. */
export interface Standing {
  readonly count: (kind: PeerKind) => number
  /**
   * Network groups that lasting outbound connections over IP lead to, the manual ones too. Groups of hidden services say nothing
   * about whose they are.
   */
  readonly groups: () => ReadonlySet<string>
  /** How many of these groups and hidden services are connected to. */
  readonly reached: () => number
  /** Networks of the connections for everything, and of the manual ones. */
  readonly networks: () => ReadonlySet<AddressKind>
  readonly isConnectedTo: (endpoint: Endpoint) => boolean
  readonly isConnectedToAddress: (address: NetworkAddress) => boolean
}

/** Kinds whose connection is for long. */
const LASTING: ReadonlySet<PeerKind> = new Set<PeerKind>(["outbound-full-relay", "block-relay-only", "manual"])

const isIp = ({ address }: Endpoint): boolean => {
  const network = addressKind(address)
  return network === "ipv4" || network === "ipv6"
}

export const standing = (peers: ReadonlyMap<number, Peer>, underWay: Dialer["underWay"]): Standing => {
  const all = function*(): Generator<{ readonly endpoint: Endpoint; readonly kind: PeerKind }> {
    for (const peer of peers.values()) if (!peer.isGone) yield peer
    yield* underWay.values()
  }
  const groups = (): ReadonlySet<string> => {
    const found = new Set<string>()
    for (const { endpoint, kind } of all()) if (LASTING.has(kind) && isIp(endpoint)) found.add(networkGroup(endpoint.address))
    return found
  }
  return {
    count: (kind) => {
      let found = 0
      for (const each of all()) if (each.kind === kind) found++
      return found
    },
    groups,
    reached: () => {
      let hidden = 0
      for (const { endpoint, kind } of all()) if (LASTING.has(kind) && !isIp(endpoint)) hidden++
      return groups().size + hidden
    },
    networks: () => {
      const found = new Set<AddressKind>()
      for (const { endpoint, kind } of all()) {
        const network = addressKind(endpoint.address)
        if (network !== undefined && (kind === "outbound-full-relay" || kind === "manual")) found.add(network)
      }
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
