import { parseAddress } from "../../net/endpoint-text.ts"
import { parseSubnet, subnetHolds } from "../../net/subnet.ts"
import { isLoopbackAddress } from "../limits/address-key.ts"

/**
 * Returns a check of client addresses. It always allows loopback addresses, and every address if no subnets are given.
 */
export const allowedAddresses = (texts: ReadonlyArray<string>): (address: string) => boolean => {
  const subnets = texts.flatMap((text) => parseSubnet(text) ?? [])
  if (subnets.length === 0) return () => true
  return (text) => {
    if (isLoopbackAddress(text)) return true
    // A link-local address may end with the name of an interface.
    const address = parseAddress(text.split("%", 1)[0]!)
    return address !== undefined && subnets.some((subnet) => subnetHolds(subnet, address))
  }
}
