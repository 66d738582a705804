import type { NodeConfig } from "../config.ts"
import { type Effective, isGiven, optionalValue, valueOf } from "../given/effective.ts"
import { parseHostPort } from "../host-port.ts"
import type { NetworkRow } from "../network-table.ts"

const MEGABYTE = 1_048_576

/** How other nodes are found and reached. Nothing finds them by itself on regtest. */
export const peersOf = (effective: Effective, network: NetworkRow): NodeConfig["peers"] => {
  const isPublic = network.name !== "regtest"
  const isOnlyPersistent = valueOf(effective, "connections.only_persistent_peers")
  return {
    listen: parseHostPort(optionalValue(effective, "listen_addr") ?? "") ?? network.listen,
    isListening: valueOf(effective, "connections.listen"),
    isListenGiven: isGiven(effective, "listen_addr"),
    moreListen: valueOf(effective, "connections.more_listen_addrs").flatMap((text) => parseHostPort(text) ?? []),
    trusted: valueOf(effective, "connections.trusted_peers"),
    uploadTarget: valueOf(effective, "connections.upload_target_mb") * MEGABYTE,
    maximum: valueOf(effective, "max_peers"),
    target: optionalValue(effective, "target_peer_count"),
    persistent: valueOf(effective, "persistent_peers"),
    isOnlyPersistent,
    isAdvertised: valueOf(effective, "enable_self_advertisement"),
    proxy: parseHostPort(optionalValue(effective, "connections.proxy") ?? ""),
    onionProxy: parseHostPort(optionalValue(effective, "connections.onion_proxy") ?? ""),
    isolateStreams: valueOf(effective, "connections.isolate_streams"),
    dnsSeeds: isPublic && !isOnlyPersistent && valueOf(effective, "connections.dns_seeds"),
    fixedSeeds: isPublic && !isOnlyPersistent && valueOf(effective, "connections.fixed_seeds")
  }
}
