import { isIPv4 } from "node:net"
import type { HostPort } from "./config.ts"

/** Reports whether only programs on this machine can reach the address. */
export const isLoopback = ({ host }: HostPort): boolean =>
  host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))
