import { isUdpAddress } from "@lockstep/protocol/wire/address/udp-address.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { type UnixSeconds, unixSeconds } from "../../../quantities.ts"
import type { Peer } from "../../peer/peer.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import type { UdpBook } from "./udp-book.ts"
import { isOfUse, sentUdpAddress, udpEndpointOf } from "./udp-endpoint.ts"

/** What a node does with addresses of nodes over QUIC and Iroh. */
export interface UdpGossipOptions {
  readonly book: UdpBook
  /** Those of this node that it advertises to a peer. */
  readonly own: (peer: Peer) => ReadonlyArray<Endpoint>
}

/** Addresses of nodes over QUIC and Iroh, between peers that agreed on them. */
export interface UdpGossip {
  /** Notes what a peer sent; answers whether it may be passed on. */
  readonly take: (peer: Peer, address: KnownAddress, isShunned: (ip: NetworkAddress) => boolean) => boolean
  /** Whether a peer may be sent an address. */
  readonly fits: (peer: Peer, address: KnownAddress) => boolean
  /** Part of an answer to a peer that asks for addresses. */
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
