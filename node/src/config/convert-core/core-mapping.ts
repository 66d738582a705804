import { isLoopback, parseHostPort, printHostPort } from "../host-port.ts"
import { parseSubnet } from "../../p2p/connections/subnet.ts"
import type { NetworkRow } from "../network-table.ts"

/** A host, and the port where one is named. */
export interface CorePlace {
  readonly host: string
  readonly port: number | undefined
}

/** The draft while it is made. */
export interface Draft {
  /** Values by key, such as `storage.dbcache_mb`. */
  readonly values: Map<string, unknown>
  readonly peers: Array<string>
  readonly rpc: { hosts: Array<string>; port: number | undefined }
  readonly listen: { host: string | undefined; port: number | undefined; readonly more: Array<CorePlace> }
  readonly trusted: Array<string>
  readonly network: NetworkRow
}

/** What became of a setting: nothing to say, or a remark for the report. */
type Remark = string | undefined

type Mapping = (value: string, draft: Draft) => Remark

const isTrue = (value: string): boolean => value !== "0" && value !== "false"

const NOT_A_NUMBER = "the value is not a number that fits"

const number = (key: string, least: number, most: number): Mapping => (value, { values }) => {
  const parsed = Number(value)
  if (value === "" || !Number.isInteger(parsed) || parsed < least || parsed > most) return NOT_A_NUMBER
  values.set(key, parsed)
  return undefined
}

const truth = (key: string): Mapping => (value, { values }) => {
  values.set(key, value === "" || isTrue(value))
  return undefined
}

/** `basic` is the one kind of filter there is. */
const blockFilters: Mapping = (value, { values }) => {
  if (!["", "0", "1", "basic"].includes(value)) return "expected 0, 1 or basic"
  values.set("storage.indexing.blockfilterindex", value !== "0")
  return undefined
}

const text = (key: string): Mapping => (value, { values }) => {
  if (value === "") return "the value is empty"
  values.set(key, value)
  return undefined
}

const remarked = (remark: string): Mapping => () => remark

/** Only worth a remark when it was switched away from what the node does. */
const unless = (value: string, remark: string): Mapping => (given) => given === value ? undefined : remark

const port = (into: "rpc" | "listen"): Mapping => (value, draft) => {
  const parsed = Number(value)
  if (!Number.isInteger(parsed) || parsed < 1 || parsed > 65_535) return "the value is not a port"
  draft[into].port = parsed
  return undefined
}

const prune: Mapping = (value, { values }) => {
  const size = Number(value)
  if (value === "" || !Number.isInteger(size) || size < 0 || (size > 1 && size < 550)) return "expected 0, 1 or at least 550"
  if (size === 1) values.set("storage.pruning.mode", "manual")
  else if (size === 0) values.set("storage.pruning.mode", "disabled")
  else values.set("storage.pruning.target_mb", size)
  return undefined
}

const assumeValid: Mapping = (value, { values }) => {
  if (value === "0") values.set("validation.assume_valid", "none")
  else if (/^(0x)?[0-9a-fA-F]{64}$/.test(value)) values.set("validation.assume_valid", value.replace(/^0x/, ""))
  else return "the value is neither 0 nor a block hash"
  return undefined
}

const par: Mapping = (value, { values }) => {
  const threads = Number(value)
  if (value === "" || !Number.isInteger(threads) || threads > 256) return NOT_A_NUMBER
  if (threads < 0) return "processors cannot be left free by count; script_workers stays automatic"
  values.set("validation.script_workers", threads)
  return undefined
}

const debug: Mapping = (value, { values }) => {
  if (value === "0" || value === "none") return undefined
  if (value === "1" || value === "" || value === "all") values.set("logging.level", "debug")
  else if (!/^\w+$/.test(value)) return "the value is no category"
  else values.set("logging.categories", { ...values.get("logging.categories") as object, [value]: "debug" })
  return undefined
}

const LEVELS: Readonly<Record<string, string>> = { trace: "trace", debug: "debug", info: "info", warning: "warn", error: "error" }

const logLevel: Mapping = (value, { values }) => {
  const [category, level] = value.includes(":") ? value.split(":") : [undefined, value]
  const known = Object.hasOwn(LEVELS, level ?? "") ? LEVELS[level ?? ""] : undefined
  if (known === undefined) return "the value is no level"
  if (category === undefined) values.set("logging.level", known)
  else values.set("logging.categories", { ...values.get("logging.categories") as object, [category]: known })
  return undefined
}

const splitHost = (value: string): CorePlace => {
  const address = parseHostPort(value)
  return address === undefined ? { host: value.replaceAll(/[[\]]/g, ""), port: undefined } : address
}

const rpcBind: Mapping = (value, draft) => {
  const address = splitHost(value)
  draft.rpc.hosts.push(address.host)
  draft.rpc.port ??= address.port
  return draft.rpc.hosts.length > 1 ? "only one address can be bound; the first is taken" : undefined
}

/** The first place takes the port of the network, or that of `port`, where it names none; further ones do as well. */
const bind: Mapping = (value, draft) => {
  if (value.endsWith("=onion")) return "hidden services are not told apart; name the place with bind alone if it is wanted"
  const address = splitHost(value)
  if (draft.listen.host === undefined) {
    draft.listen.host = address.host
    draft.listen.port = address.port ?? draft.listen.port
  } else draft.listen.more.push(address)
  return undefined
}

/** `permissions@subnet`; without permissions those that `trusted_peers` gives, and more is not there. */
const whitelist: Mapping = (value, { trusted }) => {
  const [permissions, subnet] = value.includes("@") ? value.split("@") : ["noban", value]
  if (subnet === undefined || parseSubnet(subnet) === undefined) return "the value names no subnet"
  const words = permissions!.split(",")
  if (!words.some((word) => word === "noban" || word === "all")) return "of these permissions only noban has a counterpart"
  if (words.includes("out") && !words.includes("in")) return "trusted_peers holds for both directions; add it if that is wanted"
  trusted.push(subnet)
  return undefined
}

const BYTES: Readonly<Record<string, number>> = {
  k: 1e3, K: 1_024, m: 1e6, M: 1_048_576, g: 1e9, G: 1_073_741_824, t: 1e12, T: 1_099_511_627_776
}

/** A number of megabytes, or of what its last letter says; 0: any. */
const uploadTarget: Mapping = (value, { values }) => {
  const [, digits, unit = "M"] = /^(\d{1,12})([kKmMgGtT])?$/.exec(value) ?? []
  if (digits === undefined) return NOT_A_NUMBER
  const bytes = Number(digits) * BYTES[unit]!
  values.set("connections.upload_target_mb", Math.ceil(bytes / BYTES["M"]!))
  return undefined
}

const peer: Mapping = (value, { network, peers }) => {
  if (value === "" || value === "0") return "the value names no node"
  const { host, port: given } = splitHost(value)
  peers.push(printHostPort({ host, port: given ?? network.listen.port }))
  return undefined
}

/** Whoever is named, and nobody else. */
const onlyPeer: Mapping = (value, draft) => {
  draft.values.set("connections.only_persistent_peers", true)
  return value === "" || value === "0" ? undefined : peer(value, draft)
}

/** A proxy without a port is one of Tor. */
const proxy = (key: string): Mapping => (value, { values }) => {
  if (value === "" || value === "0") return undefined
  if (value.startsWith("unix:")) return "a proxy is reached by address and port here"
  const { host, port: given } = splitHost(value.replace(/=\w+$/, ""))
  values.set(key, printHostPort({ host, port: given ?? 9_050 }))
  return undefined
}

const testActivationHeight: Mapping = (value, { values }) => {
  const [, name, height] = /^(\w+)@(\d{1,9})$/.exec(value) ?? []
  if (name === undefined) return "the value is not name@height"
  values.set(`regtest.activation_heights.${name}`, Number(height))
  return undefined
}

const rpcAllowIp: Mapping = (value) =>
  isLoopback({ host: value.replace(/\/.*$/, ""), port: 0 })
    ? undefined
    : "callers are not chosen by address; use a firewall, and credentials"

/** Settings of the reference node that have a counterpart here, or of which something is worth saying. */
export const CORE_MAPPING: Readonly<Record<string, Mapping>> = {
  rpcuser: text("rpc_auth.username"),
  rpcpassword: text("rpc_auth.password"),
  rpcbind: rpcBind,
  rpcport: port("rpc"),
  rpcallowip: rpcAllowIp,
  rpcauth: remarked("only a hash of the password is in it; choose tokens or a password in [rpc_auth]"),
  rpccookiefile: remarked("there is no cookie file; choose tokens or a password in [rpc_auth]"),
  rpcworkqueue: number("rpc.work_queue", 1, 100_000),
  rpcservertimeout: number("rpc.request_timeout_secs", 1, 86_400),
  server: unless("1", "RPC is always served"),
  includeconf: remarked("the file it names is not read; convert it apart"),
  listen: truth("connections.listen"),
  port: port("listen"),
  bind,
  whitelist,
  maxuploadtarget: uploadTarget,
  addnode: peer,
  connect: onlyPeer,
  proxy: proxy("connections.proxy"),
  onion: proxy("connections.onion_proxy"),
  proxyrandomize: truth("connections.isolate_streams"),
  dnsseed: truth("connections.dns_seeds"),
  fixedseeds: truth("connections.fixed_seeds"),
  maxconnections: number("max_peers", 0, 100_000),
  prune,
  dbcache: number("storage.dbcache_mb", 4, 131_072),
  txindex: truth("storage.indexing.txindex"),
  coinstatsindex: truth("storage.indexing.coinstatsindex"),
  blockfilterindex: blockFilters,
  datadir: text("storage.data_dir"),
  assumevalid: assumeValid,
  par,
  debug,
  loglevel: logLevel,
  debuglogfile: text("logging.file"),
  printtoconsole: unless("1", "lines always go to standard output too"),
  daemon: unless("0", "the node stays in the foreground; a service manager runs it in the background"),
  daemonwait: unless("0", "the node stays in the foreground; a service manager runs it in the background"),
  testactivationheight: testActivationHeight
}
