import { isAbsolute } from "node:path"
import type { HostPort, Proxies, ProxyPlace, NodeConfig } from "./config.ts"
import { parseHostPort, printHostPort } from "./host-port.ts"

const UNIX = "unix:"

/** The system has room for so many bytes, one of which ends the path. */
const LONGEST_PATH = 107

/** The path of a socket as `unix:/path` names it; none: the text names none that the system could have. */
export const socketPath = (text: string): string | undefined => {
  if (!text.startsWith(UNIX)) return undefined
  const path = text.slice(UNIX.length)
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : undefined
}

/** The proxy that a text names: `127.0.0.1:9050` or `unix:/path`. */
export const parseProxyPlace = (text: string): ProxyPlace | undefined => {
  const path = socketPath(text)
  if (path === undefined) return parseHostPort(text)
  return isAbsolute(path) && !path.includes("\0") ? { path } : undefined
}

export const isSocket = (place: HostPort | ProxyPlace): place is { readonly path: string } => "path" in place

export const printProxyPlace = (place: ProxyPlace): string => isSocket(place) ? UNIX + place.path : printHostPort(place)

/** The proxies through which addresses of each kind are reached. */
export const proxiesOf = ({ peers: { onionProxy, proxy }, standIn }: Pick<NodeConfig, "peers" | "standIn">): Proxies =>
  standIn?.network.proxies ??
    { ipv4: proxy, ipv6: proxy, cjdns: proxy, names: proxy, onion: onionProxy ?? proxy }
