import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { NetGroups } from "./net-groups.ts"

/** Describes how much of the known internet an asmap covers, in the words of Bitcoin Core's log. */
export const asmapHealth = ({ asn }: Pick<NetGroups, "asn">, known: ReadonlyArray<NetworkAddress>): string => {
  const clearnet = known.filter(({ network }) => network === AddressNetwork.IPV4 || network === AddressNetwork.IPV6)
  const mapped = clearnet.flatMap((address) => asn(address) ?? [])
  return `ASMap Health Check: ${clearnet.length} clearnet peers are mapped to ${new Set(mapped).size} ASNs with ` +
    `${clearnet.length - mapped.length} peers being unmapped`
}
