import { base32nopad } from "@scure/base"
import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { AddressNetwork, isMappedIpv4, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { type Endpoint, isOverTcp, transportNameOf } from "./endpoint.ts"
import { ipv4Bytes, ipv4Text, ipv6Bytes, ipv6Text, legacyIpv4Bytes } from "./ip-text.ts"
import { onionText, parseOnion } from "./onion.ts"
import { irohPrefix } from "./iroh-end.ts"
import { quicPrefix } from "./quic-end.ts"
import { splitNode, writtenWay } from "./written-node.ts"

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
const I2P = /^([a-z2-7]{52})\.b32\.i2p$/i

const ofSixteen = (bytes: Uint8Array): NetworkAddress =>
  isMappedIpv4(bytes)
    ? { network: AddressNetwork.IPV4, bytes: bytes.slice(12) }
    : { network: AddressNetwork.IPV6, bytes }

const parseI2p = (text: string): NetworkAddress | undefined => {
  const digits = I2P.exec(text)?.[1]
  if (digits === undefined) return undefined
  // The last digit has bits beyond the address, which must be zero: the decoder throws otherwise.
  const last = BASE32.indexOf(digits.at(-1)!.toLowerCase())
  return last % 16 === 0 ? { network: AddressNetwork.I2P, bytes: base32nopad.decode(digits.toUpperCase()) } : undefined
}

/** Parses a numeric address in its usual form. Returns `undefined` for any other text. */
export const parsePlainAddress = (text: string): NetworkAddress | undefined => {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text
  const ipv4 = ipv4Bytes(bare)
  if (ipv4 !== undefined) return { network: AddressNetwork.IPV4, bytes: ipv4 }
  const ipv6 = ipv6Bytes(bare)
  if (ipv6 !== undefined) return ofSixteen(ipv6)
  const onion = parseOnion(bare)
  if (onion !== undefined) return { network: AddressNetwork.TORV3, bytes: onion }
  return parseI2p(bare)
}

/** Parses a numeric address, also in an old spelling of IPv4. Returns `undefined` for a name that would need a lookup. */
export const parseAddress = (text: string): NetworkAddress | undefined => {
  const legacy = legacyIpv4Bytes(text)
  return legacy === undefined ? parsePlainAddress(text) : { network: AddressNetwork.IPV4, bytes: legacy }
}

/** Formats an address. */
export const addressText = (address: NetworkAddress): string => {
  switch (address.network) {
    case AddressNetwork.IPV4:
      return ipv4Text(address.bytes)
    case AddressNetwork.IPV6:
    case AddressNetwork.CJDNS:
      return ipv6Text(address.bytes)
    case AddressNetwork.TORV3:
      return onionText(address.bytes)
    case AddressNetwork.I2P:
      return `${base32nopad.encode(address.bytes).toLowerCase()}.b32.i2p`
    default:
      return `network${address.network}-${Buffer.from(address.bytes).toString("hex")}`
  }
}

/** Prefix before host and port; empty for TCP. */
const prefixOf = ({ iroh, quic }: Endpoint): string => {
  if (iroh !== undefined) return irohPrefix(iroh)
  return quic === undefined ? "" : quicPrefix(quic)
}

/** Formats address and port: `192.0.2.1:8333`, `[2001:db8::1]:8333`, `….onion:8333`, `quic://192.0.2.1:8333`. */
export const endpointText = (endpoint: Endpoint): string => {
  const { address, name, port } = endpoint
  const text = name ?? addressText(address)
  const before = prefixOf(endpoint)
  return text.includes(":") ? `${before}[${text}]:${port}` : `${before}${text}:${port}`
}

/** Splits a text into host and port, whatever the host is. `[::1]` and `::1` have no port. */
export const splitPort = (
  text: string,
  defaultPort: number
): { readonly host: string; readonly port: number } | undefined => {
  const [, bracketed, after] = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text) ?? []
  if (bracketed !== undefined) return inRange(bracketed, after, defaultPort)
  if (ipv6Bytes(text) !== undefined) return { host: text, port: defaultPort }
  const [, host, port] = /^([^:[\]\s]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  return host === undefined ? undefined : inRange(host, port, defaultPort)
}

const inRange = (host: string, digits: string | undefined, defaultPort: number) => {
  const port = digits === undefined ? defaultPort : Number(digits)
  return port <= 65_535 ? { host, port } : undefined
}

/** A port that no text contains. */
const UNSAID = -1

/** Parses a numeric endpoint. Without a port it gets the default port. */
export const parseEndpoint = (text: string, defaultPort: number): Endpoint | undefined => {
  const split = splitPort(text, UNSAID)
  const address = split === undefined ? undefined : parseAddress(split.host)
  if (split === undefined || address === undefined) return undefined
  // SAM 3.1 knows no other port in I2P.
  const usual = address.network === AddressNetwork.I2P ? 0 : defaultPort
  return { address, port: split.port === UNSAID ? usual : split.port }
}

/** Parses a node as an operator writes it, which may be reached over QUIC or Iroh. */
export const parseNode = (text: string, defaultPort: number): Endpoint | undefined => {
  const written = splitNode(text)
  const endpoint = written === undefined ? undefined : parseEndpoint(written.place, defaultPort)
  return endpoint === undefined || written === undefined ? undefined : { ...endpoint, ...writtenWay(written) }
}

/** Returns a map key that is equal for equal addresses. */
export const addressKey = ({ bytes, network }: NetworkAddress): string =>
  `${network}:${Buffer.from(bytes).toString("hex")}`

/** Returns a map key that is equal for equal endpoints, whatever the identity over QUIC or Iroh. */
export const endpointKey = (endpoint: Endpoint): string => {
  const place = `${addressKey(endpoint.address)}:${endpoint.port}`
  return isOverTcp(endpoint) ? place : `${transportNameOf(endpoint)}:${place}`
}

/** Returns the network of an address by its name in RPC. */
export const networkName = (address: NetworkAddress): string => addressKind(address) ?? "not_publicly_routable"
