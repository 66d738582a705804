import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { readUdpAddress, UdpNetwork, writeUdpAddress } from "@lockstep/protocol/wire/address/udp-address.ts"
import { isLocal } from "../../../net/address-place.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { quicIdentity, quicPublicKey } from "../../../net/quic-end.ts"

/** An address of `addrv2`, with its port. */
interface SentAddress {
  readonly address: NetworkAddress
  readonly port: number
}

/** Returns the node over QUIC or Iroh in an address of `addrv2`, or `undefined` for any other address. */
export const udpEndpointOf = ({ address, port }: SentAddress): Endpoint | undefined => {
  const read = readUdpAddress(address)
  if (read === undefined || port === 0) return undefined
  const { ip, network, publicKey } = read
  return network === UdpNetwork.QUIC
    ? { address: ip, port, quic: { identity: quicIdentity(publicKey) } }
    : { address: ip, port, iroh: { identity: Buffer.from(publicKey).toString("hex") } }
}

/** Encodes such a node for `addrv2`. Returns `undefined` for a node over TCP, and for one with an unknown identity. */
export const sentUdpAddress = ({ address: ip, iroh, port, quic }: Endpoint): SentAddress | undefined => {
  if (ip.network !== AddressNetwork.IPV4 && ip.network !== AddressNetwork.IPV6) return undefined
  if (quic?.identity !== undefined) {
    return { address: writeUdpAddress({ network: UdpNetwork.QUIC, publicKey: quicPublicKey(quic.identity), ip }), port }
  }
  if (iroh?.identity === undefined) return undefined
  const publicKey = new Uint8Array(Buffer.from(iroh.identity, "hex"))
  return { address: writeUdpAddress({ network: UdpNetwork.IROH, publicKey, ip }), port }
}

/** True if the address is useful to a peer. Addresses of this machine are useful only to peers on it. */
export const isOfUse = (ip: NetworkAddress, peer: NetworkAddress): boolean =>
  isRoutable(ip) || (isLocal(ip) && isLocal(peer))
