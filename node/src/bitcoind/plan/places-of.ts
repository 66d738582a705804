import { isValid } from "@lockstep/protocol/wire/address/is-routable.ts"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import type { HostPort } from "../../config/config.ts"
import { addressText, parseAddress } from "../../net/endpoint-text.ts"

/** A host, and the port where the text has one. */
export interface HostAndPort {
  readonly host: string
  readonly port: number | undefined
}

const MOST_PORT = 65_535

/** The port of an option that is nothing else; none where it is no port. */
export const portOf = (text: string): number | undefined => {
  const port = /^\d+$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= MOST_PORT ? port : undefined
}

const isBracketed = (text: string): boolean => text.startsWith("[") && text.endsWith("]")

const withoutBrackets = (text: string): string => isBracketed(text) ? text.slice(1, -1) : text

/**
 * Splits `host[:port]` as Bitcoin Core does, whatever the host is; none where the port is none. A text with several
 * colons has a port only behind brackets.
 */
export const splitHostAndPort = (text: string): HostAndPort | undefined => {
  const colon = text.lastIndexOf(":")
  const before = text.slice(0, Math.max(colon, 0))
  if (colon < 0 || (before.includes(":") && !isBracketed(before))) {
    return { host: withoutBrackets(text), port: undefined }
  }
  const port = portOf(text.slice(colon + 1))
  return port === undefined ? undefined : { host: withoutBrackets(before), port }
}

/** The address that a host is by digits, in its usual spelling; none for a name. */
const numericAddress = (host: string): string | undefined => {
  const address = parseAddress(host)
  return address === undefined ? undefined : addressText(address)
}

/** The address of an internet protocol among them, at which alone a socket can be. */
const socketAddress = (host: string): string | undefined => {
  const network = parseAddress(host)?.network
  return network === AddressNetwork.IPV4 || network === AddressNetwork.IPV6 ? numericAddress(host) : undefined
}

/** An address to connect to, which a machine can have; `localhost` is one. */
export const reachableAddress = (host: string): string | undefined => {
  if (host === "localhost") return "127.0.0.1"
  const address = parseAddress(host)
  return address !== undefined && isValid(address) ? socketAddress(host) : undefined
}

/** A place to listen at, or why there is none. Names are not looked up. */
export const listenPlace = (
  option: string,
  text: string,
  defaultPort: number
): { readonly place: HostPort } | { readonly problem: string } => {
  const split = splitHostAndPort(text)
  if (split === undefined) return { problem: `Invalid port specified in -${option}: '${text}'` }
  const host = socketAddress(split.host)
  if (host === undefined) return { problem: `Cannot resolve -${option} address: '${text}'` }
  return { place: { host, port: split.port ?? defaultPort } }
}
