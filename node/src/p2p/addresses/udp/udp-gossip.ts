import { isUdpAddress } from "@lockstep/protocol/wire/address/udp-address.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { type UnixSeconds, unixSeconds } from "../../../quantities.ts"
import type { Peer } from "../../peer/peer.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import type { UdpBook } from "./udp-book.ts"
import { isOfUse, sentUdpAddress, udpEndpointOf } from "./udp-endpoint.ts"

/** Addrman and own endpoints of nodes over QUIC and Iroh. */
export interface UdpGossipOptions {
  readonly book: UdpBook
  /** Returns the endpoints of this node that it advertises to a peer. */
  readonly own: (peer: Peer) => ReadonlyArray<Endpoint>
}

/** Gossip of nodes over QUIC and Iroh, between peers that negotiated it. */
export interface UdpGossip {
  /** Records an address that a peer sent. Returns true if it may be relayed. */
  readonly take: (peer: Peer, address: KnownAddress, isShunned: (ip: NetworkAddress) => boolean) => boolean
  /** True if a peer may be sent the address. */
  readonly fits: (peer: Peer, address: KnownAddress) => boolean
  /** Returns the part of a `getaddr` answer that these nodes make up. */
  readonly answer: () => ReadonlyArray<KnownAddress>
  readonly own: (peer: Peer, services: bigint, time: UnixSeconds) => ReadonlyArray<KnownAddress>
}

const { udpAnswered } = ADDRESS_LIMITS

export const udpGossip = ({ book, own }: UdpGossipOptions): UdpGossip => ({
  take: (peer, address, isShunned) => {
    const endpoint = udpEndpointOf(address)
    if (endpoint === undefined || isShunned(endpoint.address)) return false
    if (!isOfUse(endpoint.address, peer.endpoint.address)) return false
    book.add(endpoint, address.services, unixSeconds(address.time), peer.endpoint.address)
    return true
  },
  fits: (peer, address) => {
    if (!isUdpAddress(address.address)) return true
    const endpoint = udpEndpointOf(address)
    return peer.hello?.knowsUdpAddresses === true && endpoint !== undefined &&
      isOfUse(endpoint.address, peer.endpoint.address)
  },
  answer: () =>
    book.sample(udpAnswered.most).flatMap(({ endpoint, services, time }) => {
      const sent = sentUdpAddress(endpoint)
      return sent === undefined ? [] : [{ ...sent, services, time }]
    }),
  own: (peer, services, time) =>
    own(peer).flatMap((endpoint) => {
      const sent = sentUdpAddress(endpoint)
      return sent === undefined ? [] : [{ ...sent, services, time }]
    })
})
