import { isIP } from "node:net"
import type { HostPort } from "../../config/config.ts"
import { parseAddress, splitPort } from "../../net/endpoint-text.ts"

/** A host, and the port where the text has one. */
export interface HostAndPort {
  readonly host: string
  readonly port: number | undefined
}

const NO_PORT = -1

/** Splits `host[:port]`; none where the port is none. */
export const splitHostAndPort = (text: string): HostAndPort | undefined => {
  const split = splitPort(text, NO_PORT)
  if (split === undefined || split.port === 0) return undefined
  return { host: split.host, port: split.port === NO_PORT ? undefined : split.port }
}

/** An address that a socket can have; `localhost` is one. */
export const socketAddressOf = (host: string): string | undefined => {
  if (host === "localhost") return "127.0.0.1"
  return isIP(host) !== 0 || parseAddress(host) !== undefined ? host : undefined
}

/** A place to listen at, or why there is none. */
export const listenPlace = (
  option: string,
  text: string,
  defaultPort: number
): { readonly place: HostPort } | { readonly problem: string } => {
  const split = splitHostAndPort(text)
  if (split === undefined) return { problem: `Invalid port specified in -${option}: '${text}'` }
  const host = socketAddressOf(split.host)
  if (host === undefined) return { problem: `Cannot resolve -${option} address: '${text}'` }
  return { place: { host, port: split.port ?? defaultPort } }
}

/** The port of an option that is nothing else; none where it is no port. */
export const portOf = (text: string): number | undefined => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}
