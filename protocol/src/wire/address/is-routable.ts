import { isZero } from "@lockstep/kernel/bytes"
import { addressKind } from "./address-kind.ts"
import type { NetworkAddress } from "./network-address.ts"

/** A range of addresses, whose first `bits` are those of `prefix`. */
interface Block {
  readonly prefix: ReadonlyArray<number>
  readonly bits: number
  readonly why: string
}

const block = (prefix: ReadonlyArray<number>, bits: number, why: string): Block => ({ prefix, bits, why })

const BROADCAST = block([255, 255, 255, 255], 32, "broadcast")

const EXAMPLES = block([0x20, 0x01, 0x0d, 0xb8], 32, "documentation (RFC3849)")

/** IPv4 ranges without nodes of the internet. */
const IPV4_BLOCKS: ReadonlyArray<Block> = [
  block([0], 8, "this network"),
  block([10], 8, "private (RFC1918)"),
  block([100, 64], 10, "shared by a provider's customers (RFC6598)"),
  block([127], 8, "this machine"),
  block([169, 254], 16, "this link (RFC3927)"),
  block([172, 16], 12, "private (RFC1918)"),
  block([192, 0, 2], 24, "documentation (RFC5737)"),
  block([192, 168], 16, "private (RFC1918)"),
  block([198, 18], 15, "benchmarks (RFC2544)"),
  block([198, 51, 100], 24, "documentation (RFC5737)"),
  block([203, 0, 113], 24, "documentation (RFC5737)"),
  BROADCAST
]

/** IPv6 ranges without nodes of the internet. */
const IPV6_BLOCKS: ReadonlyArray<Block> = [
  block([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, "this machine"),
  block([0xfe, 0x80, 0, 0, 0, 0, 0, 0], 64, "this link (RFC4862)"),
  block([0xfc], 7, "private (RFC4193)"),
  block([0x20, 0x01, 0x00, 0x10], 28, "hashes of keys (RFC4843)"),
  block([0x20, 0x01, 0x00, 0x20], 28, "hashes of keys (RFC7343)"),
  EXAMPLES
]

const isIn = ({ bits, prefix }: Block, bytes: Uint8Array): boolean => {
  const whole = bits >> 3
  for (let i = 0; i < whole; i++) if (bytes[i] !== prefix[i]) return false
  const rest = bits & 7
  return rest === 0 || ((bytes[whole]! ^ prefix[whole]!) & (0xff00 >> rest) & 0xff) === 0
}

/**
 * Reports whether a machine can have the address: excludes the unspecified and broadcast addresses, and those for
 * documentation.
 */
export const isValid = (address: NetworkAddress): boolean => {
  const kind = addressKind(address)
  if (kind === "ipv4") return !isZero(address.bytes) && !isIn(BROADCAST, address.bytes)
  return kind === "ipv6" ? !isZero(address.bytes) && !isIn(EXAMPLES, address.bytes) : kind !== undefined
}

/** Reports whether a node elsewhere could be reached at an address. Only such addresses are stored and relayed. */
export const isRoutable = (address: NetworkAddress): boolean => {
  switch (addressKind(address)) {
    case undefined:
      return false
    case "ipv4":
      return !IPV4_BLOCKS.some((each) => isIn(each, address.bytes))
    case "ipv6":
      return !isZero(address.bytes) && !IPV6_BLOCKS.some((each) => isIn(each, address.bytes))
    default:
      return true
  }
}
