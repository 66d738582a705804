import type { HostPort, NodeConfig } from "../config.ts"
import { type Effective, optionalValue, valueOf } from "../given/effective.ts"
import { parseHostPort, printHostPort } from "../host-port.ts"
import { isLoopback } from "../loopback.ts"
import { isOpenToAll } from "./credentials.ts"

const HIGHEST_PORT = 65_535

/** REST ports for the well-known RPC ports; for any other RPC port the REST port is higher by a fixed distance. */
const PAIRED: ReadonlyMap<number, number> = new Map([[8_332, 8_080], [18_332, 18_080], [0, 0]])
const DISTANCE = 10_000

const portFor = (rpcPort: number): number => PAIRED.get(rpcPort) ?? rpcPort + DISTANCE

/** Returns the address of REST, or `undefined` if it is off. */
export const restBindOf = (effective: Effective, rpc: HostPort): NodeConfig["rest"] => {
  if (!valueOf(effective, "rest_api.enabled")) return undefined
  const given = parseHostPort(optionalValue(effective, "rest_api.listen_addr") ?? "")
  return { bind: given ?? { host: "127.0.0.1", port: portFor(rpc.port) } }
}

/** Describes conflicts that keep REST from being served. */
export const restProblems = (effective: Effective, { rest, rpc }: NodeConfig): ReadonlyArray<string> => {
  if (rest === undefined) return []
  if (rest.bind.port > HIGHEST_PORT) {
    return [`REST has no port: that of RPC and ${DISTANCE} would be ${rest.bind.port}; set [rest_api].listen_addr`]
  }
  if (isLoopback(rest.bind) || !isOpenToAll(rpc.credentials) || valueOf(effective, "unsafe_rpc_bind")) return []
  return [
    `REST on ${
      printHostPort(rest.bind)
    } would be open to other machines without credentials: set [rpc_auth] in the file or ` +
    "RPC_AUTH_TOKENS, or let [rest_api].listen_addr be on 127.0.0.1"
  ]
}
