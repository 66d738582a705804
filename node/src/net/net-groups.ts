import { asnOf, UNMAPPED } from "@lockstep/protocol/asmap/asmap.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { createHash } from "node:crypto"
import { carriedIpv4, networkGroup } from "./address-place.ts"

/** How addresses are grouped: all of a group may well be one owner's. */
export interface NetGroups {
  /** The hash of the asmap, as people write it; none: addresses are grouped by their first bytes. */
  readonly version: string | undefined
  readonly group: (address: NetworkAddress) => string
  /** The autonomous system that routes an address of the internet; none: the asmap does not know, or there is none. */
  readonly asn: (address: NetworkAddress) => number | undefined
}

/** Groups by the first bytes of addresses alone. */
export const PREFIX_GROUPS: NetGroups = { version: undefined, group: networkGroup, asn: () => undefined }

const sixteen = (ipv4: Uint8Array): Uint8Array => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...ipv4)

/** The bytes by which an asmap knows an address of the internet. */
const mapped = ({ bytes, network }: NetworkAddress): Uint8Array | undefined => {
  if (network === AddressNetwork.IPV4) return sixteen(bytes)
  if (network !== AddressNetwork.IPV6) return undefined
  const ipv4 = carriedIpv4(bytes)
  return ipv4 === undefined ? bytes : sixteen(ipv4)
}

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

/**
 * Groups the addresses of an autonomous system together, and those of none by their first bytes. Precondition: the bytes
 * are an asmap.
 */
export const asmapGroups = (asmap: Uint8Array): NetGroups => {
  const asn = (address: NetworkAddress): number | undefined => {
    const bytes = isRoutable(address) ? mapped(address) : undefined
    const found = bytes === undefined ? UNMAPPED : asnOf(asmap, bytes)
    return found === UNMAPPED ? undefined : found
  }
  return {
    version: Buffer.from(sha256(sha256(asmap))).reverse().toString("hex"),
    asn,
    group: (address) => {
      const number = asn(address)
      return number === undefined ? networkGroup(address) : `as:${number}`
    }
  }
}
