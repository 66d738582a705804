import * as Schema from "effect/Schema"
import { isIP } from "node:net"
import { PEER_PERMISSIONS } from "../../net/peer-permissions.ts"
import { parseSubnet } from "../../net/subnet.ts"
import { printHostPort } from "../host-port.ts"
import { isSocket, parseProxyPlace } from "../proxy-place.ts"
import { nodeAddress } from "../schema/shapes.ts"
import { splitHost } from "./access-mapping.ts"
import {
  type ConfigDraft,
  isSwitchedOn,
  isTrueSetting,
  leftOut,
  type Remark,
  type SettingMapping,
  NOT_A_NUMBER,
  number,
  truthSetting,
  unless
} from "./draft.ts"

const isNode = Schema.is(nodeAddress.schema)

const isAddress = (host: string): boolean => isIP(host) !== 0 || host === "localhost"

const port: SettingMapping = (value, { listen }) => {
  const parsed = Number(value)
  if (!Number.isInteger(parsed) || parsed < 1 || parsed > 65_535) return "the value is not a port"
  listen.port = parsed
  return undefined
}

const ONION = /=onion$/

/**
 * Converts a listening address. Without a port the first one gets the port of the network, or that of `port`; so do
 * further ones.
 */
const bind: SettingMapping = (value, { listen }) => {
  listen.isChosen = true
  const address = splitHost(value.replace(ONION, ""))
  if (!isAddress(address.host)) return "the value is no address to listen at"
  if (ONION.test(value)) {
    listen.onion.push(address)
    return undefined
  }
  if (listen.host === undefined) {
    listen.host = address.host
    listen.port = address.port ?? listen.port
  } else listen.more.push(address)
  return undefined
}

const whiteBind: SettingMapping = (_, { listen }) => {
  listen.isChosen = true
  return "permissions come by address alone: name the place in more_listen_addrs, and the peers in trusted_peers"
}

/** Converts `permissions@subnet`; without permissions the peer gets those of `trusted_peers`. */
/** Describes how converted permissions differ. */
const noteOn = (words: ReadonlySet<string>, isTrusted: boolean, isPermitted: boolean): Remark => {
  if (isPermitted && words.has("out")) return { note: "peer_permissions holds for inbound peers alone" }
  if (!isTrusted || words.has("all") || words.has("mempool")) return undefined
  return { note: "trusted_peers grants more: these peers may request the mempool, and get transactions at once" }
}

const whitelist: SettingMapping = (value, { permissions, trusted }) => {
  const [given, subnet] = value.includes("@") ? value.split("@") : ["noban", value]
  if (subnet === undefined || parseSubnet(subnet) === undefined) return "the value names no subnet"
  const words = new Set(given!.split(",").map((word) => word === "bloom" ? "bloomfilter" : word))
  const isForAll = words.has("all")
  const names = isForAll ? ["bloomfilter", "forcerelay", "mempool"] : PEER_PERMISSIONS.filter((name) => words.has(name))
  const isTrusted = isForAll || words.has("noban")
  if (!isTrusted && names.length === 0) {
    return "of these permissions only noban, bloomfilter, relay, forcerelay and mempool have a counterpart"
  }
  if (words.has("out") && !words.has("in")) {
    return isTrusted
      ? "trusted_peers holds for both directions; add it if that is wanted"
      : "peer_permissions holds for inbound peers alone"
  }
  if (isTrusted) trusted.push(subnet)
  if (names.length > 0) permissions.push(`${names.join(",")}@${subnet}`)
  return noteOn(words, isTrusted, names.length > 0)
}

const BYTES: Readonly<Record<string, number>> = {
  k: 1e3,
  K: 1_024,
  m: 1e6,
  M: 1_048_576,
  g: 1e9,
  G: 1_073_741_824,
  t: 1e12,
  T: 1_099_511_627_776
}

/** Converts a number of megabytes, or of the unit in its last letter; 0 means no limit. */
const uploadTarget: SettingMapping = (value, { values }) => {
  const [, digits, unit = "M"] = /^(\d{1,12})([kKmMgGtT])?$/.exec(value) ?? []
  if (digits === undefined) return NOT_A_NUMBER
  const bytes = Number(digits) * BYTES[unit]!
  values.set("connections.upload_target_mb", Math.ceil(bytes / BYTES["M"]!))
  return undefined
}

const peer: SettingMapping = (value, { network, peers }) => {
  const { host, port: given } = splitHost(value)
  const node = printHostPort({ host, port: given ?? network.listen.port })
  if (value === "" || value === "0" || !isNode(node)) return "the value names no node"
  peers.push(node)
  return undefined
}

/** Converts `connect`: no peers except those named. */
const onlyPeer: SettingMapping = (value, draft) => {
  draft.values.set("connections.only_persistent_peers", true)
  return value === "" || value === "0" ? undefined : peer(value, draft)
}

const TOR_PORT = 9_050

const NETWORKS_OF_PROXY: ReadonlyArray<string | undefined> = [undefined, "ipv4", "ipv6", "onion"]

const takeProxy = ({ values }: ConfigDraft, key: string, value: string): string | undefined => {
  const place = parseProxyPlace(value)
  if (place !== undefined && isSocket(place)) {
    values.set(key, value)
    return undefined
  }
  const { host, port: given } = splitHost(value)
  if (!isAddress(host)) {
    return value.startsWith("unix:")
      ? "the path of a socket is absolute here, and short enough for the system"
      : "a proxy is named by its address here"
  }
  values.set(key, printHostPort({ host, port: given ?? TOR_PORT }))
  return undefined
}

/** Converts the onion proxy. If it is lost, hidden services must not be reached through the other proxy. */
const takeOnionProxy = (draft: ConfigDraft, value: string): string | undefined => {
  const why = takeProxy(draft, "connections.onion_proxy", value)
  if (why !== undefined) draft.isOnionForbidden = true
  return why
}

/** Converts a proxy; one without a port is Tor. */
const proxy: SettingMapping = (value, draft) => {
  if (value === "" || value === "0") return undefined
  const [address = "", network] = value.split(/=(\w*)$/, 2)
  if (!NETWORKS_OF_PROXY.includes(network)) return "a proxy for this network has no counterpart"
  if (network === "onion") return takeOnionProxy(draft, address)
  const why = takeProxy(draft, "connections.proxy", address)
  if (why !== undefined) {
    draft.heldBack = { why: "without its proxy the node would connect to peers directly", areNamedKept: false }
  }
  return why ??
    (network === undefined ? undefined : { note: "the proxy is used for all of the internet, IPv4 and IPv6" })
}

const onion: SettingMapping = (value, draft) => {
  draft.isOnionForbidden = value === "" || value === "0"
  return draft.isOnionForbidden ? undefined : takeOnionProxy(draft, value)
}

const onlyNet: SettingMapping = (value, draft) => {
  draft.isNetworkChosen = value !== "0"
  if (value === "0") {
    draft.onlyNetworks.length = 0
    return undefined
  }
  const network = value.toLowerCase()
  if (!["ipv4", "ipv6", "onion", "i2p", "cjdns"].includes(network)) return "the node reaches no such network"
  if (!draft.onlyNetworks.includes(network)) draft.onlyNetworks.push(network)
  return undefined
}

const torControl: SettingMapping = (value, { onionService }) => {
  if (value === "" || value === "0") return undefined
  const place = splitHost(value)
  if (!isAddress(place.host)) return "Tor's control port is named by its address here"
  onionService.control = place
  return undefined
}

const SAM_PORT = 7_656

const i2pSam: SettingMapping = (value, { values }) => {
  if (value === "" || value === "0") return undefined
  const { host, port: given } = splitHost(value)
  if (!isAddress(host)) return "the I2P router is named by its address here"
  values.set("connections.i2p_sam", printHostPort({ host, port: given ?? SAM_PORT }))
  return undefined
}

const torPassword: SettingMapping = (value, { onionService }) => {
  onionService.password = value === "" ? undefined : value
  return undefined
}

const listenOnion: SettingMapping = (value, { onionService }) => {
  onionService.isWanted = isSwitchedOn(value)
  return undefined
}

const ROUTER = "the node opens no port in a router"

/** Settings about peers, and about what the node shows of itself. */
export const PEERS_MAPPING: Readonly<Record<string, SettingMapping>> = {
  listen: truthSetting("connections.listen"),
  port,
  bind,
  whitebind: whiteBind,
  whitelist,
  whitelistrelay: unless(["1"], "peers in trusted_peers always relay transactions, unless blocks_only is set"),
  whitelistforcerelay: unless(["0"], "name such peers in peer_permissions"),
  maxuploadtarget: uploadTarget,
  peerblockfilters: truthSetting("connections.serve_block_filters"),
  peerbloomfilters: truthSetting("connections.serve_bloom_filters"),
  addnode: peer,
  connect: onlyPeer,
  networkactive: unless(["1"], "the node starts with its network on; setnetworkactive switches it off"),
  proxy,
  onion,
  onlynet: onlyNet,
  proxyrandomize: truthSetting("connections.isolate_streams"),
  dns: unless(["1"], "names of peers are looked up, by the proxy where there is one"),
  dnsseed: truthSetting("connections.dns_seeds"),
  forcednsseed: unless(["0"], "name servers are asked only while hardly any address is known"),
  fixedseeds: truthSetting("connections.fixed_seeds"),
  discover: truthSetting("enable_self_advertisement"),
  externalip: leftOut("the address to announce cannot be set"),
  listenonion: listenOnion,
  torcontrol: torControl,
  torpassword: torPassword,
  i2psam: i2pSam,
  i2pacceptincoming: truthSetting("connections.i2p_accept_incoming"),
  cjdnsreachable: truthSetting("connections.cjdns_reachable"),
  natpmp: unless(["0"], ROUTER),
  upnp: unless(["0"], ROUTER),
  v2transport: truthSetting("connections.v2_transport"),
  privatebroadcast: truthSetting("relay.private_broadcast"),
  blocksonly: truthSetting("connections.blocks_only"),
  logips: unless(["1"], "addresses of peers are in the log, at level debug"),
  peertimeout: number("connections.handshake_timeout_secs", 1, 1_000_000_000),
  asmap: (value, { values }) => {
    if (value === "0") return undefined
    if (value === "" || value === "1") return "the node has no map built in: name a file"
    values.set("connections.asmap", value)
    return { note: "a path that is not absolute is one of the working directory here" }
  },
  maxconnections: number("max_peers", 0, 100_000)
}

/** Reports whether the proxy settings allow reaching hidden services. */
export const reachesOnion = ({ isOnionForbidden, values }: ConfigDraft): boolean =>
  values.has("connections.onion_proxy") ||
  (!isOnionForbidden && (values.has("connections.proxy") || values.has("connections.tor_control")))

/** Returns the value of a boolean setting in the file; `undefined` if the file does not set it. */
export const saysTrue = ({ values }: ConfigDraft, key: string): boolean | undefined => {
  const value = values.get(key)
  return value === undefined ? undefined : isTrueSetting(String(value))
}
