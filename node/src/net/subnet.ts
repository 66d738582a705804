import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { addressText, parsePlainAddress } from "./endpoint-text.ts"
import { ipv4Bytes, ipv6Bytes } from "./ip-text.ts"

/** The addresses whose first `bits` are those of `address`. The bits after them are zero. */
export interface Subnet {
  readonly address: NetworkAddress
  readonly bits: number
}

const isIp = ({ network }: NetworkAddress): boolean =>
  network === AddressNetwork.IPV4 || network === AddressNetwork.IPV6

const masked = (address: NetworkAddress, bits: number): Subnet => ({
  address: {
    network: address.network,
    bytes: address.bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * i))) & 0xff)
  },
  bits
})

/** Returns the length of a mask that is written as an address, or `undefined` if a one follows a zero. */
const bitsOfMask = (text: string, network: number): number | undefined => {
  const bytes = network === AddressNetwork.IPV4 ? ipv4Bytes(text) : ipv6Bytes(text)
  if (bytes === undefined) return undefined
  const digits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("")
  return /^1*0*$/.test(digits) ? digits.replace(/0+$/, "").length : undefined
}

/** Makes the subnet of one address. */
export const subnetOf = (address: NetworkAddress): Subnet => ({ address, bits: address.bytes.length * 8 })

/**
 * Parses `192.0.2.0/24`, `192.0.2.0/255.255.255.0`, `2001:db8::/32` or one address. Returns `undefined` for an invalid
 * text.
 */
export const parseSubnet = (text: string): Subnet | undefined => {
  const [host = "", mask, more] = text.split("/")
  // `10/8` would be 0.0.0.0/8, which is never meant.
  const address = parsePlainAddress(host)
  if (address === undefined || more !== undefined) return undefined
  if (mask === undefined) return subnetOf(address)
  if (!isIp(address)) return undefined
  const bits = /^\d{1,3}$/.test(mask) ? Number(mask) : bitsOfMask(mask, address.network)
  return bits === undefined || bits > address.bytes.length * 8 ? undefined : masked(address, bits)
}

/** Formats a subnet. An address of no IP network has no length. */
export const subnetText = ({ address, bits }: Subnet): string =>
  isIp(address) ? `${addressText(address)}/${bits}` : addressText(address)

export const subnetHolds = ({ address, bits }: Subnet, candidate: NetworkAddress): boolean => {
  if (address.network !== candidate.network || addressKind(candidate) === undefined) return false
  const { bytes } = masked(candidate, bits).address
  return bytes.every((byte, i) => byte === address.bytes[i])
}
