import { BlockList, isIPv6 } from "node:net"

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4")
LOOPBACK.addAddress("::1", "ipv6")

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

const withoutMapping = (address: string): string => MAPPED.exec(address)?.[1] ?? address

const isLoopback = (address: string): boolean => {
  const plain = withoutMapping(address)
  return LOOPBACK.check(plain, isIPv6(plain) ? "ipv6" : "ipv4")
}

/** Result for the address of the last lookup: each request looks it up several times. */
let last = { address: "", isLoopback: false }

export const isLoopbackAddress = (address: string): boolean => {
  if (last.address !== address) last = { address, isLoopback: isLoopback(address) }
  return last.isLoopback
}

const groups = (part: string): ReadonlyArray<string> => part === "" ? [] : part.split(":")

/** Returns the first half of an IPv6 address, since its owner chooses the other half. */
const network = (address: string): string => {
  const [head = "", tail] = address.split("%", 1)[0]!.split("::", 2)
  const [before, after] = [groups(head), groups(tail ?? "")]
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0")
  return `${[...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4).join(":")}::/64`
}

/** Returns the key by which requests from an address are counted. */
export const limitedAddress = (address: string): string => {
  const plain = withoutMapping(address)
  return isIPv6(plain) ? network(plain) : plain
}
