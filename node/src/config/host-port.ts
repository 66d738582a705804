import { isIP, isIPv4, isIPv6 } from "node:net"
import { parseSubnet } from "../net/subnet.ts"
import { addressText } from "../net/endpoint-text.ts"
import type { HostPort } from "./config.ts"
import { isLoopback } from "./loopback.ts"

const NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/

/** Parses `127.0.0.1:8332`, `[::1]:8332` or `name:8332`. With port 0 the system chooses one. */
export const parseHostPort = (text: string): HostPort | undefined => {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) return undefined
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port } : undefined
  if (plain === undefined) return undefined
  const looksNumeric = /^[\d.]+$/.test(plain)
  return (looksNumeric ? isIPv4(plain) : NAME.test(plain)) ? { host: plain, port } : undefined
}

export const printHostPort = ({ host, port }: HostPort): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`

/** Reports whether all addresses of a subnet belong to this machine. */
export const isLoopbackSubnet = (text: string): boolean => {
  const subnet = parseSubnet(text)
  if (subnet === undefined) return false
  const { address, bits } = subnet
  return isLoopback({ host: addressText(address), port: 0 }) && bits >= (address.bytes.length === 4 ? 8 : 128)
}
