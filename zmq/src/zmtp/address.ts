import type { ListenOptions } from "node:net"

const TCP = /^tcp:\/\/(\*|\[[0-9A-Fa-f:.%\w]+\]|[^:[\]]+):(\d{1,5})$/
const MAX_PORT = 65_535

/**
 * Parses an address of ZeroMQ: `tcp://host:port`, or `ipc://` and the path of a Unix socket. Returns `undefined` if it
 * is invalid.
 */
export const listenOptionsOf = (address: string): ListenOptions | undefined => {
  if (address.startsWith("ipc://")) {
    const path = address.slice("ipc://".length)
    // On Linux such a name is an abstract socket without a file.
    return path === "" ? undefined : { path: path.startsWith("@") ? `\0${path.slice(1)}` : path }
  }
  const found = TCP.exec(address)
  const port = Number(found?.[2])
  if (found === null || port > MAX_PORT) return undefined
  const host = found[1]!.replace(/^\[|\]$/g, "")
  return { port, host: host === "*" ? "0.0.0.0" : host }
}
