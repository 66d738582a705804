import { asnOf, UNMAPPED } from "@lockstep/protocol/asmap/asmap.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { createHash } from "node:crypto"
import { carriedIpv4, networkGroup } from "./address-place.ts"

/** Groups addresses so that all of one group may belong to one owner. */
export interface NetGroups {
  /** The hash of the asmap in display order; `undefined` if addresses are grouped by their prefixes. */
  readonly version: string | undefined
  readonly group: (address: NetworkAddress) => string
  /**
   * Returns the autonomous system that routes an address, or `undefined` if it is unknown or the address is not of the
   * internet.
   */
  readonly asn: (address: NetworkAddress) => number | undefined
}

/** Groups addresses by their prefixes alone. */
export const PREFIX_GROUPS: NetGroups = { version: undefined, group: networkGroup, asn: () => undefined }

const sixteen = (ipv4: Uint8Array): Uint8Array => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...ipv4)

/** Returns the bytes that an asmap looks up for an address of the internet. */
const mapped = ({ bytes, network }: NetworkAddress): Uint8Array | undefined => {
  if (network === AddressNetwork.IPV4) return sixteen(bytes)
  if (network !== AddressNetwork.IPV6) return undefined
  const ipv4 = carriedIpv4(bytes)
  return ipv4 === undefined ? bytes : sixteen(ipv4)
}

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

/**
 * Groups addresses by autonomous system, and those without one by their prefixes. Precondition: the bytes are a valid
 * asmap.
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
