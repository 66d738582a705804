import { printHostPort } from "../host-port.ts"
import { isLoopback } from "../loopback.ts"
import type { CorePlace, ConfigDraft } from "./draft.ts"
import { settleModules } from "./notification-mapping.ts"
import { reachesOnion, saysTrue } from "./peers-mapping.ts"
import { MEGABYTE } from "../../units.ts"

/** Results of completing a draft: notes on converted settings, and what is missing for privacy and access. */
export interface SettledDraft {
  readonly notes: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
}

const NOTHING: SettledDraft = { notes: [], missing: [] }
const note = (text: string): SettledDraft => ({ notes: [text], missing: [] })
const missing = (text: string): SettledDraft => ({ notes: [], missing: [text] })

const modules = (draft: ConfigDraft): SettledDraft => ({ notes: settleModules(draft), missing: [] })

const peers = (draft: ConfigDraft): SettledDraft => {
  if (draft.peers.length > 0) draft.values.set("persistent_peers", draft.peers)
  if (draft.trusted.length > 0) draft.values.set("connections.trusted_peers", draft.trusted)
  if (draft.permissions.length > 0) draft.values.set("connections.peer_permissions", draft.permissions)
  return NOTHING
}

const WILDCARDS: ReadonlyArray<string> = ["0.0.0.0", "::"]

const isSamePlace = (one: CorePlace, other: CorePlace): boolean =>
  one.port === other.port && one.host.includes(":") === other.host.includes(":") &&
  (one.host === other.host || WILDCARDS.includes(one.host) || WILDCARDS.includes(other.host))

/** Sets the listening addresses. If addresses are named but none remains, the node must not listen on all. */
const listening = (draft: ConfigDraft): SettledDraft => {
  const { host, isChosen, more, onion, port } = draft.listen
  const fallback = draft.network.listen
  const usual = port ?? fallback.port
  const ofTor = onion.map((place) => printHostPort({ host: place.host, port: place.port ?? usual + 1 }))
  if (ofTor.length > 0) draft.values.set("connections.onion_listen_addrs", ofTor)
  if (isChosen && host === undefined && ofTor.length > 0) {
    draft.values.set("listen_addr", ofTor[0])
    return NOTHING
  }
  if (isChosen && host === undefined) {
    draft.values.set("connections.listen", false)
    return note("no place to listen at is left, so inbound peers are not accepted: [connections].listen = false")
  }
  if (host !== undefined || port !== undefined) {
    const first = { host: host ?? fallback.host, port: port ?? fallback.port }
    draft.values.set("listen_addr", printHostPort(first))
    const places: Array<CorePlace> = []
    for (const place of more.map((each) => ({ host: each.host, port: each.port ?? port ?? fallback.port }))) {
      if (![first, ...places].some((earlier) => isSamePlace(earlier, place))) places.push(place)
    }
    const texts = places.map((place) => printHostPort({ host: place.host, port: place.port! }))
    if (texts.length > 0) draft.values.set("connections.more_listen_addrs", texts)
  }
  return NOTHING
}

/**
 * Keeps the node closed to inbound peers if it connects through a proxy or only to named nodes, as Bitcoin Core does by
 * default.
 */
const keptClosed = ({ listen, values }: ConfigDraft): SettledDraft => {
  const isHidden = values.has("connections.proxy") || values.has("connections.only_persistent_peers")
  if (!isHidden || values.has("connections.listen") || listen.isChosen) return NOTHING
  values.set("connections.listen", false)
  return note(
    "inbound peers are not accepted, as with proxy and connect in Bitcoin Core: [connections] listen = true changes that"
  )
}

const CONTROL_PORT = 9_051

/** Creates an onion service if the file mentions it. Bitcoin Core creates one if it finds Tor. */
const onionService = (draft: ConfigDraft): SettledDraft => {
  const { onionService: { control, isWanted, password }, values } = draft
  const isAsked = isWanted === true || (control !== undefined && isWanted !== false)
  if (!isAsked) return NOTHING
  if (saysTrue(draft, "connections.listen") === false) {
    return note("no onion service is made, since inbound peers are not accepted: [connections].listen = false")
  }
  values.set(
    "connections.tor_control",
    printHostPort({ host: control?.host ?? "127.0.0.1", port: control?.port ?? CONTROL_PORT })
  )
  if (password !== undefined) values.set("connections.tor_password", password)
  return NOTHING
}

/** Settings that a network of `onlynet` lacks. */
const LOST: Readonly<Record<string, string>> = {
  onion:
    "onlynet: onion needs a proxy, which Bitcoin Core asks Tor's control port for; set [connections].tor_control or onion_proxy, " +
    "and add onion",
  i2p: "onlynet: i2p needs a router; set [connections].i2p_sam, and add i2p",
  cjdns: "onlynet: cjdns needs [connections].cjdns_reachable = true; set it, and add cjdns"
}

const networks = (draft: ConfigDraft): SettledDraft => {
  const { isNetworkChosen, isOnionForbidden, onlyNetworks, values } = draft
  const isReached: Readonly<Record<string, boolean>> = {
    onion: reachesOnion(draft),
    i2p: values.has("connections.i2p_sam"),
    cjdns: saysTrue(draft, "connections.cjdns_reachable") === true
  }
  const wanted = onlyNetworks.filter((network) => isReached[network] !== false)
  const lost = onlyNetworks.filter((network) => isReached[network] === false)
  // Hidden services would be reached through the proxy of the internet.
  if (!isNetworkChosen && isOnionForbidden && values.has("connections.proxy")) wanted.push("ipv4", "ipv6")
  if (wanted.length > 0) values.set("connections.onlynet", wanted)
  else if (isNetworkChosen) {
    draft.heldBack = { why: "none of the networks that onlynet names is reached", areNamedKept: true }
  }
  if (wanted.length > 0 && !wanted.some((network) => network.startsWith("ip"))) values.delete("connections.dns_seeds")
  return { notes: [], missing: lost.map((network) => LOST[network]!) }
}

/**
 * Drops private broadcast if its requirements are missing; Bitcoin Core would not start. Requirements that Bitcoin Core
 * may detect automatically have to be set here.
 */
const privateBroadcast = (draft: ConfigDraft): SettledDraft => {
  const { values } = draft
  if (saysTrue(draft, "relay.private_broadcast") !== true) return NOTHING
  const only = values.get("connections.onlynet")
  const isOpen = (network: string): boolean => !Array.isArray(only) || only.includes(network)
  const isReached = (isOpen("onion") && reachesOnion(draft)) || (isOpen("i2p") && values.has("connections.i2p_sam"))
  const isPossible = isReached && saysTrue(draft, "connections.only_persistent_peers") !== true
  if (isPossible) return NOTHING
  values.delete("relay.private_broadcast")
  return missing(
    "privatebroadcast: it needs Tor or I2P, and peers that the node chooses; set [connections].tor_control, onion_proxy or i2p_sam, " +
      "and [relay].private_broadcast = true"
  )
}

/** Keeps the node from choosing peers until the operator has decided how. */
const heldBack = ({ heldBack: reason, values }: ConfigDraft): SettledDraft => {
  if (reason === undefined) return NOTHING
  values.set("connections.only_persistent_peers", true)
  values.set("connections.listen", false)
  for (const key of ["tor_control", "tor_password", "onion_listen_addrs"]) values.delete(`connections.${key}`)
  if (!reason.areNamedKept) values.delete("persistent_peers")
  return missing(`${reason.why}: the draft chooses no peers; remove only_persistent_peers once that is settled`)
}

const credentials = ({ rpc: { allowed, salted, whitelist }, values }: ConfigDraft): SettledDraft => {
  const [name, password] = [values.has("rpc_auth.username"), values.has("rpc_auth.password")]
  if (salted.length > 0) values.set("rpc_auth.rpcauth", salted)
  if (whitelist.size > 0) values.set("rpc_auth.whitelist", Object.fromEntries(whitelist))
  if (allowed.length > 0) values.set("rpc.allow_ip", allowed)
  if (name === password) return NOTHING
  values.delete("rpc_auth.username")
  values.delete("rpc_auth.password")
  return name
    ? note("rpcuser says nothing without rpcpassword, here as in Bitcoin Core")
    : missing("rpcpassword: a password needs a name; set rpcuser")
}

/** Requires credentials. Bitcoin Core serves no call without them, and a file with settings about callers relies on that. */
const demanded = (isAboutCallers: boolean) => ({ values }: ConfigDraft): SettledDraft => {
  if (isAboutCallers) values.set("rpc_auth.required", true)
  return NOTHING
}

const cookie = ({ rpc: { whitelist }, values }: ConfigDraft): SettledDraft => {
  const isClosed = values.get("rpc_auth.whitelist_default") ?? whitelist.size > 0
  return isClosed !== true || whitelist.has("__cookie__")
    ? NOTHING
    : note(
      "the cookie may call nothing, as in Bitcoin Core: the commands status, rpc and others need a user of [rpc_auth].whitelist or a list for __cookie__"
    )
}

const rpcBind = ({ rpc }: ConfigDraft): SettledDraft => {
  const [host] = rpc.hosts
  if (host === undefined || rpc.allowed.length > 0 || isLoopback({ host, port: 0 })) return NOTHING
  rpc.hosts.length = 0
  return note("rpcbind says nothing without rpcallowip, as in Bitcoin Core: RPC stays on 127.0.0.1")
}

const WHOLE_CHAIN_INDEXES = ["txindex", "txospenderindex"] as const

const pruning = (draft: ConfigDraft): SettledDraft => {
  const isPruned = draft.values.has("storage.pruning.target_mb") ||
    draft.values.get("storage.pruning.mode") === "manual"
  const left = WHOLE_CHAIN_INDEXES.filter((index) => isPruned && saysTrue(draft, `storage.indexing.${index}`) === true)
  for (const index of left) draft.values.delete(`storage.indexing.${index}`)
  const notes = left.map((index) =>
    `${index} is left out: it needs all blocks, and Bitcoin Core does not start with both it and pruning`
  )
  return { notes, missing: [] }
}

/** Drops the serving of filters that are not kept. Bitcoin Core would not start. */
const blockFilters = (draft: ConfigDraft): SettledDraft => {
  const isAsked = saysTrue(draft, "connections.serve_block_filters") === true
  if (!isAsked || saysTrue(draft, "storage.indexing.blockfilterindex") === true) return NOTHING
  draft.values.delete("connections.serve_block_filters")
  return note(
    "peerblockfilters is left out: it needs blockfilterindex, without which Bitcoin Core does not start either"
  )
}

const LEAST_CLUSTERS = 40
const CLUSTER_SIZE = 101_000

/** Drops a mempool size below the minimum. Bitcoin Core would not start. */
const mempoolSize = ({ values }: ConfigDraft): SettledDraft => {
  const size = values.get("mempool.max_mempool_mb")
  const clusterSize = values.get("mempool.max_cluster_size") ?? CLUSTER_SIZE
  const least = Math.ceil((LEAST_CLUSTERS * Number(clusterSize)) / MEGABYTE)
  if (typeof size !== "number" || size === 0 || size >= least) return NOTHING
  values.delete("mempool.max_mempool_mb")
  return note(`maxmempool: left out: ${size} MB hold no ${LEAST_CLUSTERS} clusters; at least ${least} do`)
}

/** Drops block weights that contradict each other. Bitcoin Core would not start. */
const blockWeight = ({ values }: ConfigDraft): SettledDraft => {
  const most = values.get("mining.block_max_weight") ?? 4_000_000
  const reserved = values.get("mining.block_reserved_weight") ?? 8_000
  if (Number(reserved) <= Number(most)) return NOTHING
  values.delete("mining.block_max_weight")
  values.delete("mining.block_reserved_weight")
  return note(
    `blockmaxweight: left out: a weight of ${String(reserved)} is kept free, and a block may hold ${String(most)}`
  )
}

const dataCarrier = ({ isDataRefused, values }: ConfigDraft): SettledDraft => {
  if (isDataRefused) values.set("mempool.data_carrier_bytes", 0)
  return NOTHING
}

/**
 * Completes a draft of single settings so that a node can start with it. `isAboutCallers` is true if the file has
 * settings about callers.
 */
export const settleDraft = (draft: ConfigDraft, isAboutCallers: boolean): SettledDraft => {
  const steps = [
    peers,
    listening,
    keptClosed,
    onionService,
    networks,
    heldBack,
    privateBroadcast,
    credentials,
    demanded(isAboutCallers),
    cookie,
    rpcBind,
    pruning,
    blockFilters,
    dataCarrier,
    mempoolSize,
    blockWeight,
    modules
  ]
  const settled = steps.map((step) => step(draft))
  return { notes: settled.flatMap(({ notes }) => notes), missing: settled.flatMap((each) => each.missing) }
}
