import { isValid } from "@lockstep/protocol/wire/address/is-routable.ts"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import type { HostPort } from "../../config/config.ts"
import { addressText, parseAddress } from "../../net/endpoint-text.ts"

/** A host, and the port if the text has one. */
export interface HostAndPort {
  readonly host: string
  readonly port: number | undefined
}

const MOST_PORT = 65_535

/** Returns the port in a text, or `undefined` if it is no valid port. */
export const portOf = (text: string): number | undefined => {
  const port = /^\d+$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= MOST_PORT ? port : undefined
}

const isBracketed = (text: string): boolean => text.startsWith("[") && text.endsWith("]")

const withoutBrackets = (text: string): string => isBracketed(text) ? text.slice(1, -1) : text

/**
 * Splits `host[:port]` as Bitcoin Core does, without checking the host. Returns `undefined` if the port is invalid. A
 * text with several colons has a port only after brackets.
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

/** Returns a numeric address in its usual spelling, or `undefined` for a name. */
const numericAddress = (host: string): string | undefined => {
  const address = parseAddress(host)
  return address === undefined ? undefined : addressText(address)
}

/** Returns a numeric IPv4 or IPv6 address, on which a socket can listen, or `undefined` for any other host. */
const socketAddress = (host: string): string | undefined => {
  const network = parseAddress(host)?.network
  return network === AddressNetwork.IPV4 || network === AddressNetwork.IPV6 ? numericAddress(host) : undefined
}

/** Returns the IPv4 or IPv6 address of a host that can be connected to. Of names, only `localhost` is accepted. */
export const reachableAddress = (host: string): string | undefined => {
  if (host === "localhost") return "127.0.0.1"
  const address = parseAddress(host)
  return address !== undefined && isValid(address) ? socketAddress(host) : undefined
}

/** Returns an endpoint to listen on, or the problem with it. Names are not resolved. */
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
