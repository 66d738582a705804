import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { NetGroups } from "./net-groups.ts"

/** Counts the addresses of the known internet, the systems that an asmap puts them in, and those in none. */
export const asmapHealth = ({ asn }: Pick<NetGroups, "asn">, known: ReadonlyArray<NetworkAddress>) => {
  const clearnet = known.filter(({ network }) => network === AddressNetwork.IPV4 || network === AddressNetwork.IPV6)
  const mapped = clearnet.flatMap((address) => asn(address) ?? [])
  return { clearnet: clearnet.length, systems: new Set(mapped).size, unmapped: clearnet.length - mapped.length }
}
