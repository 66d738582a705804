import { anySettingName, settingName, shortSettingName } from "../../front/setting-name.ts"
import { IROH_SCHEME } from "../../net/iroh-end.ts"
import { QUIC_SCHEME } from "../../net/quic-end.ts"
import type { HostPort, NodeConfig, PeersConfig, TorControlConfig, UdpConfig } from "../config.ts"
import { type Effective, isGiven, optionalValue, valueOf } from "../given/effective.ts"
import { parseHostPort } from "../host-port.ts"
import { parseProxyPlace } from "../proxy-place.ts"
import { absolutePath, type HostMachine } from "./machine.ts"
import type { NetworkRow } from "../network-table.ts"
import { MEBIBYTE } from "../../units.ts"

type Networks = NodeConfig["peers"]["onlyNetworks"]

/** Reports whether peers are chosen in a network with addresses in DNS. */
const hasInternet = (networks: Networks): boolean =>
  networks.length === 0 || networks.includes("ipv4") || networks.includes("ipv6")

/** Describes conflicts with the networks in which peers are chosen. */
export const onlynetProblems = (
  effective: Effective,
  { hasCjdns, i2p, onionProxy, onlyNetworks, proxy, torControl }: NodeConfig["peers"]
): ReadonlyArray<string> => {
  const problems: Array<string> = []
  if (onlyNetworks.includes("onion") && onionProxy === undefined && proxy === undefined && torControl === undefined) {
    problems.push(
      `${settingName("[connections].onlynet")} names onion, which is reached through a proxy alone: set ${
        settingName("[connections].onion_proxy")
      }, ${shortSettingName("[connections].proxy")} or ` +
        shortSettingName("[connections].tor_control")
    )
  }
  if (onlyNetworks.includes("i2p") && i2p === undefined) {
    problems.push(
      `${settingName("[connections].onlynet")} names i2p, which is reached through a router alone: set ${
        settingName("[connections].i2p_sam")
      }`
    )
  }
  if (onlyNetworks.includes("cjdns") && !hasCjdns) {
    problems.push(
      `${settingName("[connections].onlynet")} names cjdns: set ${
        settingName("[connections].cjdns_reachable")
      } = true if this machine is in CJDNS`
    )
  }
  if (
    !hasInternet(onlyNetworks) && isGiven(effective, "connections.dns_seeds") &&
    valueOf(effective, "connections.dns_seeds")
  ) {
    problems.push(
      `${settingName("[connections].dns_seeds")} = true, but ${
        shortSettingName("[connections].onlynet")
      } allows neither ipv4 nor ipv6, which is all that name servers know; leave one out`
    )
  }
  return problems
}

/** Describes missing requirements of served filters. */
export const filterProblems = ({ peers, storage }: Pick<NodeConfig, "peers" | "storage">): ReadonlyArray<string> =>
  peers.servesBlockFilters && !storage.blockFilterIndex
    ? [
      `${settingName("[connections].serve_block_filters")} needs the filters: set ${
        settingName("[storage.indexing].blockfilterindex")
      } = true as well`
    ]
    : []

/** Describes missing requirements of package relay. */
export const packageProblems = ({ isBlocksOnly, relaysPackages }: NodeConfig["peers"]): ReadonlyArray<string> =>
  relaysPackages && isBlocksOnly
    ? [
      `${anySettingName("[relay].enable_package_relay")} needs transactions of others, which ${
        settingName("[connections].blocks_only")
      } refuses; leave one out`
    ]
    : []

/** Reports whether Tor is reached, or may be once Tor's control port names its proxy. */
const mayReachTor = ({ onionProxy, onlyNetworks, proxy, torControl }: PeersConfig): boolean =>
  (onlyNetworks.length === 0 || onlyNetworks.includes("onion")) &&
  (onionProxy !== undefined || proxy !== undefined || torControl !== undefined)

const mayReachI2p = ({ i2p, onlyNetworks }: PeersConfig): boolean =>
  i2p !== undefined && (onlyNetworks.length === 0 || onlyNetworks.includes("i2p"))

/** Describes missing requirements of private broadcast. */
export const privateBroadcastProblems = (peers: PeersConfig): ReadonlyArray<string> => {
  if (!peers.broadcastsPrivately) return []
  return [
    ...mayReachTor(peers) || mayReachI2p(peers) ? [] : [
      `${settingName("[relay].private_broadcast")} needs Tor or I2P, and neither is reachable: set ${
        settingName("[connections].onion_proxy")
      }, ` +
      `${shortSettingName("[connections].tor_control")} or ${shortSettingName("[connections].i2p_sam")}`
    ],
    ...peers.isOnlyPersistent
      ? [
        `${settingName("[relay].private_broadcast")} opens connections to randomly chosen peers, which ${
          settingName("[connections].only_persistent_peers")
        } and ` +
        `a ${anySettingName("transport_preference")} without TCP rule out; leave one out`
      ]
      : []
  ]
}

/** Describes settings that weaken private broadcast. */
export const privateBroadcastWarnings = (peers: PeersConfig): ReadonlyArray<string> =>
  peers.broadcastsPrivately && !peers.isolateStreams && mayReachTor(peers)
    ? [
      `${settingName("[relay].private_broadcast")} shares its paths through Tor with other connections while ${
        settingName("[connections].isolate_streams")
      } is ` +
      "false"
    ]
    : []

const dandelionOf = (effective: Effective): NodeConfig["peers"]["dandelion"] =>
  valueOf(effective, "relay.enable_dandelion")
    ? {
      meanEmbargo: valueOf(effective, "dandelion.stem_timeout_seconds") * 1_000,
      fluffProbability: valueOf(effective, "dandelion.fluff_probability")
    }
    : undefined

const quicOf = (effective: Effective, listen: HostPort): UdpConfig | undefined => {
  const preference = valueOf(effective, "transport_preference")
  if (preference === "tcponly" || preference === "irohonly") return undefined
  return {
    listen: parseHostPort(optionalValue(effective, "connections.quic_listen_addr") ?? "") ?? listen,
    isOnly: preference === "quinnonly"
  }
}

/** Default address of Iroh: one port above that of QUIC. */
const irohPlace = ({ host, port }: HostPort): HostPort => ({ host, port: port === 0 ? 0 : port + 1 })

const irohOf = (effective: Effective, listen: HostPort): UdpConfig | undefined => {
  const preference = valueOf(effective, "transport_preference")
  if (preference !== "irohonly" && preference !== "all") return undefined
  return {
    listen: parseHostPort(optionalValue(effective, "connections.iroh_listen_addr") ?? "") ?? irohPlace(listen),
    isOnly: preference === "irohonly"
  }
}

interface Way {
  readonly name: string
  readonly key: "connections.iroh_listen_addr" | "connections.quic_listen_addr"
  readonly scheme: string
  readonly remedy: string
}

const QUIC: Way = {
  name: "QUIC",
  key: "connections.quic_listen_addr",
  scheme: QUIC_SCHEME,
  remedy: `set ${anySettingName("transport_preference")} = "hybrid" as well`
}

const IROH: Way = {
  name: "Iroh",
  key: "connections.iroh_listen_addr",
  scheme: IROH_SCHEME,
  remedy: `set ${anySettingName("transport_preference")} = "all" as well`
}

/** Describes settings of a transport that is off. */
const missingWay = (effective: Effective, persistent: ReadonlyArray<string>, { key, name, remedy, scheme }: Way) => [
  ...isGiven(effective, key) ? [`[connections].${key.slice("connections.".length)} needs ${name}: ${remedy}`] : [],
  ...persistent.some((text) => text.startsWith(scheme))
    ? [`${shortSettingName("persistent_peers")} names a node that is reached over ${name}: ${remedy}`]
    : []
]

/** Names the UDP transports that are on. */
const udpNames = ({ iroh, quic }: Pick<PeersConfig, "iroh" | "quic">): string =>
  [...quic === undefined ? [] : ["QUIC"], ...iroh === undefined ? [] : ["Iroh"]].join(" and ")

/** Describes conflicts between settings of the transports. */
export const transportProblems = (
  effective: Effective,
  { iroh, onionProxy, persistent, proxy, quic }: NodeConfig["peers"]
): ReadonlyArray<string> => {
  const names = udpNames({ iroh, quic })
  const isShown = names !== "" && (proxy !== undefined || onionProxy !== undefined)
  return [
    ...isShown
      ? [
        `${
          anySettingName("transport_preference")
        } allows ${names}, which passes no SOCKS5 proxy and would show this node's address; use ` +
        `"tcponly", or leave out ${settingName("[connections].proxy")} and ` +
        shortSettingName("[connections].onion_proxy")
      ]
      : [],
    ...quic === undefined ? missingWay(effective, persistent, QUIC) : [],
    ...iroh === undefined ? missingWay(effective, persistent, IROH) : []
  ]
}

const i2pOf = (effective: Effective): PeersConfig["i2p"] => {
  const at = parseHostPort(optionalValue(effective, "connections.i2p_sam") ?? "")
  return at === undefined ? undefined : { at, acceptsIncoming: valueOf(effective, "connections.i2p_accept_incoming") }
}

const torControlOf = (effective: Effective): TorControlConfig | undefined => {
  const at = parseHostPort(optionalValue(effective, "connections.tor_control") ?? "")
  return at === undefined ? undefined : { at, password: optionalValue(effective, "connections.tor_password") }
}

/** Default target of an onion service, as in Bitcoin Core. */
const onionPlace = ({ port }: HostPort): HostPort => ({ host: "127.0.0.1", port: port === 0 ? 0 : port + 1 })

/** Returns the targets of an onion service. */
const onionListenOf = (effective: Effective, listen: HostPort): ReadonlyArray<HostPort> => {
  const given = optionalValue(effective, "connections.onion_listen_addrs")
  if (given !== undefined) return given.flatMap((text) => parseHostPort(text) ?? [])
  return optionalValue(effective, "connections.tor_control") === undefined ? [] : [onionPlace(listen)]
}

/** Describes missing requirements of an onion service. */
export const onionProblems = (
  effective: Effective,
  { iroh, isListening, quic, torControl }: PeersConfig
): ReadonlyArray<string> => {
  if (torControl === undefined) {
    return isGiven(effective, "connections.tor_password")
      ? [
        `${settingName("[connections].tor_password")} is for Tor's control port: set ${
          settingName("[connections].tor_control")
        } as well`
      ]
      : []
  }
  return [
    ...isListening ? [] : [
      `${
        settingName("[connections].tor_control")
      } makes an onion service, which needs a node that listens: leave one of ${
        shortSettingName("[connections].tor_control")
      } and ${shortSettingName("[connections].listen")} = false out`
    ],
    ...quic === undefined && iroh === undefined ? [] : [
      `${anySettingName("transport_preference")} allows ${
        udpNames({ iroh, quic })
      }, which would show this node's address beside the onion service of ${
        settingName("[connections].tor_control")
      }; ` +
      `use "tcponly", or leave ${shortSettingName("[connections].tor_control")} out`
    ]
  ]
}

/** Settings for finding and reaching other nodes. Regtest has no fixed seeds, so a node finds none automatically there. */
export const peersOf = (effective: Effective, network: NetworkRow, machine: HostMachine): NodeConfig["peers"] => {
  const isPublic = network.name !== "regtest"
  const listen = parseHostPort(optionalValue(effective, "listen_addr") ?? "") ?? network.listen
  const quic = quicOf(effective, listen)
  const iroh = irohOf(effective, listen)
  // Discovered addresses name TCP ports.
  const isOnlyPersistent = valueOf(effective, "connections.only_persistent_peers") ||
    quic?.isOnly === true || iroh?.isOnly === true
  const onlyNetworks = valueOf(effective, "connections.onlynet")
  const asmap = optionalValue(effective, "connections.asmap")
  return {
    handshakeSeconds: valueOf(effective, "connections.handshake_timeout_secs"),
    asmap: asmap === undefined ? undefined : absolutePath(asmap, machine),
    listen,
    quic,
    iroh,
    isListening: valueOf(effective, "connections.listen"),
    isListenGiven: isGiven(effective, "listen_addr"),
    moreListen: valueOf(effective, "connections.more_listen_addrs").flatMap((text) => parseHostPort(text) ?? []),
    i2p: i2pOf(effective),
    hasCjdns: valueOf(effective, "connections.cjdns_reachable"),
    onionListen: onionListenOf(effective, listen),
    torControl: torControlOf(effective),
    trusted: valueOf(effective, "connections.trusted_peers"),
    permissions: valueOf(effective, "connections.peer_permissions"),
    servesBlockFilters: valueOf(effective, "connections.serve_block_filters"),
    servesBloomFilters: valueOf(effective, "connections.serve_bloom_filters"),
    relaysPackages: valueOf(effective, "relay.enable_package_relay"),
    broadcastsPrivately: valueOf(effective, "relay.private_broadcast"),
    dandelion: dandelionOf(effective),
    uploadTarget: valueOf(effective, "connections.upload_target_mb") * MEBIBYTE,
    maximum: valueOf(effective, "max_peers"),
    target: optionalValue(effective, "target_peer_count"),
    persistent: valueOf(effective, "persistent_peers"),
    isOnlyPersistent,
    choosesUdpPeers: !valueOf(effective, "connections.only_persistent_peers"),
    isAdvertised: valueOf(effective, "enable_self_advertisement"),
    userAgent: valueOf(effective, "connections.user_agent"),
    proxy: parseProxyPlace(optionalValue(effective, "connections.proxy") ?? ""),
    onionProxy: parseProxyPlace(optionalValue(effective, "connections.onion_proxy") ?? ""),
    isolateStreams: valueOf(effective, "connections.isolate_streams"),
    onlyNetworks,
    isV2: valueOf(effective, "connections.v2_transport"),
    isBlocksOnly: valueOf(effective, "connections.blocks_only"),
    dnsSeeds: isPublic && !isOnlyPersistent && hasInternet(onlyNetworks) && valueOf(effective, "connections.dns_seeds"),
    fixedSeeds: !isOnlyPersistent && valueOf(effective, "connections.fixed_seeds")
  }
}
