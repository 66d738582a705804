import { concatBytes } from "@lockstep/kernel/bytes"
import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { AddressNetwork, type NetworkAddress, startsWith } from "@lockstep/protocol/wire/address/network-address.ts"
import { carriedIpv4, isInternal } from "./address-place.ts"

/** Core's `Network`, the first byte of its groups. */
const CLASS = { unroutable: 0, ipv4: 1, ipv6: 2, onion: 3, i2p: 4, cjdns: 5, internal: 6 } as const

/** Prefix of an IPv4 address in sixteen bytes. */
const MAPPED = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)

/** Bytes before the hash of the name in an address that Bitcoin Core makes of an unresolved name. */
const INTERNAL_PREFIX_BYTES = 6

/** A large provider whose customers Core distinguishes by four more bits (`IsHeNet`). */
const HURRICANE = Uint8Array.of(0x20, 0x01, 0x04, 0x70)

/** Returns the bytes of an address (Core: `GetAddrBytes`): sixteen for the internet, with IPv4 mapped into it. */
export const addressBytes = ({ bytes, network }: NetworkAddress): Uint8Array =>
  network === AddressNetwork.IPV4 ? concatBytes([MAPPED, bytes]) : bytes

/** Returns the class and the first `bits` of the address; the rest of the last byte is ones. */
const prefixed = (kind: number, bytes: Uint8Array, bits: number): Uint8Array => {
  const whole = bits >> 3
  const rest = bits & 7
  const last = rest === 0 ? [] : [bytes[whole]! | (0xff >> rest)]
  return Uint8Array.of(kind, ...bytes.subarray(0, whole), ...last)
}

const ipv6Group = (bytes: Uint8Array): Uint8Array => {
  const ipv4 = carriedIpv4(bytes)
  if (ipv4 !== undefined) return prefixed(CLASS.ipv4, ipv4, 16)
  return prefixed(CLASS.ipv6, bytes, startsWith(bytes, HURRICANE) ? 36 : 32)
}

/**
 * Returns the group of an address, encoded as by Core's `NetGroupManager::GetGroup`. `asn` is the autonomous system
 * that routes it, if known.
 */
export const groupBytes = (address: NetworkAddress, asn: number | undefined): Uint8Array => {
  const { bytes } = address
  if (asn !== undefined) return Uint8Array.of(CLASS.ipv6, asn, asn >>> 8, asn >>> 16, asn >>> 24)
  if (isInternal(address)) return Uint8Array.of(CLASS.internal, ...bytes.subarray(INTERNAL_PREFIX_BYTES))
  if (!isRoutable(address)) return Uint8Array.of(CLASS.unroutable)
  switch (addressKind(address)) {
    case "ipv4":
      return prefixed(CLASS.ipv4, bytes, 16)
    case "onion":
      return prefixed(CLASS.onion, bytes, 4)
    case "i2p":
      return prefixed(CLASS.i2p, bytes, 4)
    case "cjdns":
      return prefixed(CLASS.cjdns, bytes, 12)
    default:
      return ipv6Group(bytes)
  }
}
