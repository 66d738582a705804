import { isZero } from "@lockstep/kernel/bytes"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import {
  AddressNetwork,
  isMappedIpv4,
  type NetworkAddress,
  startsWith
} from "@lockstep/protocol/wire/address/network-address.ts"

const { IPV4, IPV6 } = AddressNetwork

/** Reports whether an address belongs to this machine alone. */
export const isLocal = ({ bytes, network }: NetworkAddress): boolean => {
  if (network === IPV4) return bytes[0] === 127 || bytes[0] === 0
  return network === IPV6 && isZero(bytes.subarray(0, 15)) && bytes[15] === 1
}

/** Reports whether it is the unspecified address, which means every address of a machine. */
export const isUnspecified = ({ bytes, network }: NetworkAddress): boolean =>
  (network === IPV4 || network === IPV6) && isZero(bytes)

/** Prefix of the IPv6 addresses that Bitcoin Core makes of names that it has not resolved. */
const INTERNAL = Uint8Array.of(0xfd, 0x6b, 0x88, 0xc0, 0x87, 0x24)

/** Reports whether it is the address of a name, such as that of a DNS seed. */
export const isInternal = ({ bytes, network }: NetworkAddress): boolean =>
  network === IPV6 && startsWith(bytes, INTERNAL)

/** Reports whether it is in the operator's own network, and not on this machine. */
export const isLan = ({ bytes, network }: NetworkAddress): boolean => {
  const [a = 0, b = 0] = bytes
  if (network === IPV4) {
    return a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 169 && b === 254)
  }
  return network === IPV6 && ((a & 0xfe) === 0xfc || (a === 0xfe && (b & 0xc0) === 0x80))
}

const prefix = (bytes: Uint8Array, bits: number): string => {
  const whole = bits >> 3
  const part = bits & 7
  const head = Buffer.from(bytes.subarray(0, whole)).toString("hex")
  return part === 0 ? head : head + (bytes[whole]! | (0xff >> part)).toString(16).padStart(2, "0")
}

/** Returns the IPv4 address within an IPv6 address of translation (RFC6052, RFC6145), 6to4 or Teredo, or `undefined`. */
export const carriedIpv4 = (bytes: Uint8Array): Uint8Array | undefined => {
  if (startsWith(bytes, NAT64) || startsWith(bytes, TRANSLATED) || isMappedIpv4(bytes)) return bytes.subarray(12)
  if (bytes[0] === 0x20 && bytes[1] === 0x02) return bytes.subarray(2, 6)
  if (startsWith(bytes, TEREDO)) return bytes.slice(12).map((byte) => byte ^ 0xff)
  return undefined
}

const NAT64 = Uint8Array.of(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0)
const TRANSLATED = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0)
const TEREDO = Uint8Array.of(0x20, 0x01, 0, 0)
/** A large provider whose customers get address ranges that would otherwise count as many networks. */
const HURRICANE = Uint8Array.of(0x20, 0x01, 0x04, 0x70)

const ipv6Group = (bytes: Uint8Array): string => {
  const ipv4 = carriedIpv4(bytes)
  if (ipv4 !== undefined) return `ipv4:${prefix(ipv4, 16)}`
  return `ipv6:${prefix(bytes, startsWith(bytes, HURRICANE) ? 36 : 32)}`
}

/**
 * Returns the network group of an address, whose addresses one owner can easily have: /16 of IPv4, /32 of IPv6, a
 * sixteenth of the others. All unroutable addresses are one group (Core: `NetGroupManager::GetGroup`). An attacker who
 * wants many slots in a table, or many connections to a node, needs addresses of many groups.
 */
export const networkGroup = (address: NetworkAddress): string => {
  const { bytes, network } = address
  if (!isRoutable(address)) return "unroutable"
  switch (network) {
    case IPV4:
      return `ipv4:${prefix(bytes, 16)}`
    case IPV6:
      return ipv6Group(bytes)
    case AddressNetwork.CJDNS:
      return `cjdns:${prefix(bytes, 12)}`
    default:
      return `${network}:${prefix(bytes, 4)}`
  }
}
