import { AddressNetwork, isMappedIpv4, type NetworkAddress, startsWith } from "./network-address.ts"

/** Networks through which a node can be reached. */
export type AddressKind = "ipv4" | "ipv6" | "onion" | "i2p" | "cjdns"

/** IPv6 prefix of former version 2 Tor addresses. */
const ONION_CAT = Uint8Array.of(0xfd, 0x87, 0xd8, 0x7e, 0xeb, 0x43)
/** IPv6 prefix of names that Bitcoin Core has not resolved; never gossiped. */
const INTERNAL = Uint8Array.of(0xfd, 0x6b, 0x88, 0xc0, 0x87, 0x24)
/** First byte of every CJDNS address. */
const CJDNS_PREFIX = 0xfc

const ipv6Kind = (bytes: Uint8Array): AddressKind | undefined =>
  isMappedIpv4(bytes) || startsWith(bytes, ONION_CAT) || startsWith(bytes, INTERNAL) ? undefined : "ipv6"

/**
 * Returns the network of an address, or `undefined` if the address is to be ignored. That is one of an unknown or
 * obsolete network, or one embedded in IPv6 although its network has its own form.
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

/** Returns the address as one of CJDNS if it begins as all of that network do (Core: `MaybeFlipIPv6toCJDNS`). */
export const takenForCjdns = (address: NetworkAddress): NetworkAddress =>
  address.network === AddressNetwork.IPV6 && address.bytes[0] === CJDNS_PREFIX
    ? { network: AddressNetwork.CJDNS, bytes: address.bytes }
    : address

/** Reports whether the format of `addr`, without networks, can carry an address. */
export const fitsOldForm = (address: NetworkAddress): boolean => {
  const kind = addressKind(address)
  return kind === "ipv4" || kind === "ipv6"
}
