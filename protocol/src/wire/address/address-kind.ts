import { AddressNetwork, isMappedIpv4, type NetworkAddress, startsWith } from "./network-address.ts"

/** Networks that a node can be reached through. */
export type AddressKind = "ipv4" | "ipv6" | "onion" | "i2p" | "cjdns"

/** Where IPv6 once held second-version Tor addresses. */
const ONION_CAT = Uint8Array.of(0xfd, 0x87, 0xd8, 0x7e, 0xeb, 0x43)
/** Where Bitcoin Core keeps names it has not resolved; never gossiped. */
const INTERNAL = Uint8Array.of(0xfd, 0x6b, 0x88, 0xc0, 0x87, 0x24)
/** What every CJDNS address begins with. */
const CJDNS_PREFIX = 0xfc

const ipv6Kind = (bytes: Uint8Array): AddressKind | undefined =>
  isMappedIpv4(bytes) || startsWith(bytes, ONION_CAT) || startsWith(bytes, INTERNAL) ? undefined : "ipv6"

/**
 * The network of an address, or none for an address to be ignored. That is one of a network that we do not know or that
 * is gone, or one hidden in IPv6 that has a form of its own.
 */
export const addressKind = ({ bytes, network }: NetworkAddress): AddressKind | undefined => {
  switch (network) {
    case AddressNetwork.IPV4:
      return "ipv4"
    case AddressNetwork.IPV6:
      return ipv6Kind(bytes)
    case AddressNetwork.TORV3:
      return "onion"
    case AddressNetwork.I2P:
      return "i2p"
    case AddressNetwork.CJDNS:
      return bytes[0] === CJDNS_PREFIX ? "cjdns" : undefined
    default:
      return undefined
  }
}

/** The same address, taken for one of CJDNS where it begins as all of that network do (Core: `MaybeFlipIPv6toCJDNS`). */
export const takenForCjdns = (address: NetworkAddress): NetworkAddress =>
  address.network === AddressNetwork.IPV6 && address.bytes[0] === CJDNS_PREFIX
    ? { network: AddressNetwork.CJDNS, bytes: address.bytes }
    : address

/** Whether the form of `addr`, without networks, can carry an address. */
export const fitsOldForm = (address: NetworkAddress): boolean => {
  const kind = addressKind(address)
  return kind === "ipv4" || kind === "ipv6"
}
