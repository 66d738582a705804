import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import { addressKey, endpointKey } from "../../net/endpoint-text.ts"
import type { Peer, PeerKind } from "../peer/peer.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { Dialer } from "./dialer.ts"

/** Counts of open connections, including those being made. */
export interface ConnectionCensus {
  readonly count: (kind: PeerKind) => number
  /**
   * Network groups of the lasting outbound connections over IP, including manual ones. Groups of onion services say
   * nothing about their owners.
   */
  readonly groups: () => ReadonlySet<string>
  /** Number of these groups and of connected onion services. */
  readonly reached: () => number
  /** Networks of the full-relay and manual connections. */
  readonly networks: () => ReadonlySet<AddressKind>
  readonly isConnectedTo: (endpoint: Endpoint) => boolean
  readonly isConnectedToAddress: (address: NetworkAddress) => boolean
}

/** Kinds of lasting connections. */
const LASTING: ReadonlySet<PeerKind> = new Set<PeerKind>(["outbound-full-relay", "block-relay-only", "manual"])

/** True if the address is on the internet, not in an overlay network. */
export const isIp = ({ address }: Endpoint): boolean => {
  const network = addressKind(address)
  return network === "ipv4" || network === "ipv6"
}

/** True if it is to be dialed again with v1 once its connection has ended; it keeps its slot until then. */
const isToBeRetried = ({ inbound, traffic, transport }: Peer): boolean =>
  !inbound && transport.kind() === "detecting" && traffic.bytesReceived === 0

export const census = (
  peers: ReadonlyMap<number, Peer>,
  { retries, underWay }: Pick<Dialer, "retries" | "underWay">,
  { group }: NetGroups
): ConnectionCensus => {
  const all = function*(): Generator<{ readonly endpoint: Endpoint; readonly kind: PeerKind }> {
    for (const peer of peers.values()) if (!peer.isGone || isToBeRetried(peer)) yield peer
    yield* underWay.values()
    yield* retries()
  }
  const groups = (): ReadonlySet<string> => {
    const found = new Set<string>()
    for (const { endpoint, kind } of all()) {
      if (LASTING.has(kind) && isIp(endpoint)) found.add(group(endpoint.address))
    }
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
