import { isAbsolute } from "node:path"
import type { HostPort, Proxies, ProxyPlace, NodeConfig } from "./config.ts"
import { parseHostPort, printHostPort } from "./host-port.ts"

const UNIX = "unix:"

/** Maximum length of a socket path; the system adds one byte that ends it. */
const LONGEST_PATH = 107

/** Returns the path of a socket in `unix:/path`, or `undefined` if the text names none that the system allows. */
export const socketPath = (text: string): string | undefined => {
  if (!text.startsWith(UNIX)) return undefined
  const path = text.slice(UNIX.length)
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : undefined
}

/** Parses a proxy: `127.0.0.1:9050` or `unix:/path`. */
export const parseProxyPlace = (text: string): ProxyPlace | undefined => {
  const path = socketPath(text)
  if (path === undefined) return parseHostPort(text)
  return isAbsolute(path) && !path.includes("\0") ? { path } : undefined
}

export const isSocket = (place: HostPort | ProxyPlace): place is { readonly path: string } => "path" in place

export const printProxyPlace = (place: ProxyPlace): string => isSocket(place) ? UNIX + place.path : printHostPort(place)

/** Returns the proxies for addresses of each kind. */
export const proxiesOf = ({ peers: { onionProxy, proxy }, standIn }: Pick<NodeConfig, "peers" | "standIn">): Proxies =>
  standIn?.network.proxies ??
    { ipv4: proxy, ipv6: proxy, cjdns: proxy, names: proxy, onion: onionProxy ?? proxy }
