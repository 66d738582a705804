import { isIP } from "node:net"
import { isQuicIdentity } from "../../net/quic-end.ts"
import type { NodeConfig, QuicRpcConfig } from "../config.ts"
import { type Effective, isGiven, optionalValue, valueOf } from "../given/effective.ts"
import { parseHostPort } from "../host-port.ts"

/** `[rpc.quic]`. */
export const quicRpcOf = (effective: Effective): QuicRpcConfig | undefined => {
  const place = parseHostPort(optionalValue(effective, "rpc.quic.bind") ?? "")
  if (place === undefined) return undefined
  return {
    bind: place.host === "localhost" ? { host: "127.0.0.1", port: place.port } : place,
    identities: valueOf(effective, "rpc.quic.identities"),
    adminIdentities: valueOf(effective, "rpc.quic.admin_identities")
  }
}

/** Describes conflicts with RPC over QUIC. */
export const quicRpcProblems = (effective: Effective, { quic }: NodeConfig["rpc"]): ReadonlyArray<string> => {
  if (quic === undefined) {
    return ["identities", "admin_identities"].flatMap((name) =>
      isGiven(effective, `rpc.quic.${name}`) ? [`[rpc.quic].${name} needs [rpc.quic].bind: set it as well`] : []
    )
  }
  const { adminIdentities, bind: { host }, identities } = quic
  return [
    ...isIP(host) === 0 ? [`[rpc.quic].bind: ${host} is a name; give an address, such as 127.0.0.1`] : [],
    ...[...identities, ...adminIdentities].flatMap((each) =>
      isQuicIdentity(each)
        ? []
        : [`[rpc.quic]: ${each} is no identity; a client that is refused shows its own`]
    )
  ]
}
