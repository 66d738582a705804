import * as Result from "effect/Result"
import { FILE_KEYS, FILE_TABLES } from "../catalogue.ts"
import { nearest } from "../nearest.ts"
import { judgeValue } from "../given/judge-value.ts"
import { isLoopback, printHostPort } from "../host-port.ts"
import { tomlValue } from "../show/toml-value.ts"
import { CORE_MAPPING, type Draft } from "./core-mapping.ts"
import { coreNetworkOf, isNetworkKey } from "./core-network.ts"
import { CORE_SECTIONS, type CoreEntry, type CoreSection, parseBitcoinConf } from "./parse-bitcoin-conf.ts"

export interface Conversion {
  /** The draft; empty when there are problems. */
  readonly toml: string
  /** What was left out or deserves a word, each a line for a person. */
  readonly report: ReadonlyArray<string>
  /** Why there is no draft. */
  readonly problems: ReadonlyArray<string>
}

/** Outside a section these hold for mainnet alone: so the reference node keeps a test network off the main one. */
const MAINNET_ONLY = new Set(["addnode", "connect", "port", "bind", "rpcport", "rpcbind"])

/** These add up; of any other key the first one holds, and one in the network's section comes before one outside. */
const REPEATABLE = new Set(
  ["addnode", "connect", "debug", "rpcbind", "bind", "rpcallowip", "rpcauth", "whitelist", "testactivationheight", "loglevel"]
)

const isSectionKnown = (section: string): boolean => section === "" || CORE_SECTIONS.some((known) => known === section)

interface Choice {
  readonly chosen: ReadonlyArray<CoreEntry>
  readonly passedOver: ReadonlyArray<readonly [CoreEntry, reason: string]>
}

const choose = (entries: ReadonlyArray<CoreEntry>, network: CoreSection): Choice => {
  const chosen: Array<CoreEntry> = []
  const passedOver: Array<readonly [CoreEntry, string]> = []
  const seen = new Set<string>()
  const isOwn = ({ section }: CoreEntry): boolean => section === network
  for (const entry of [...entries.filter(isOwn), ...entries.filter((other) => !isOwn(other))]) {
    const { key, section } = entry
    if (isNetworkKey(key) && section === "") continue
    if (!isSectionKnown(section)) passedOver.push([entry, `[${section}] is no section of a network`])
    else if (section !== "" && section !== network) {
      passedOver.push([entry, `belongs to [${section}], and the file chooses ${network}`])
    } else if (section === "" && network !== "main" && MAINNET_ONLY.has(key)) {
      passedOver.push([entry, `holds for mainnet alone, so the reference node ignores it; put it under [${network}]`])
    } else if (seen.has(key) && !REPEATABLE.has(key)) passedOver.push([entry, "an earlier value holds"])
    else {
      seen.add(key)
      chosen.push(entry)
    }
  }
  return { chosen, passedOver }
}

const remarkOn = (entry: CoreEntry, draft: Draft): string | undefined => {
  const mapping = Object.hasOwn(CORE_MAPPING, entry.key) ? CORE_MAPPING[entry.key] : undefined
  if (mapping !== undefined) return mapping(entry.value, draft)
  const near = nearest(entry.key, Object.keys(CORE_MAPPING))
  return `has no counterpart here${near === undefined ? "" : ` (or is it ${near}?)`}`
}

/** A value of the reference node may be one that our schema does not take. */
const judged = (draft: Draft): ReadonlyArray<string> => {
  const report: Array<string> = []
  for (const [name, value] of draft.values) {
    const key = FILE_KEYS.find((candidate) => candidate.name === name)
    const result = key === undefined ? undefined : judgeValue(key, value)
    if (result !== undefined && Result.isSuccess(result)) continue
    draft.values.delete(name)
    report.push(`left out ${key?.shown ?? name}${result === undefined ? ": no such key" : `: ${result.failure}`}`)
  }
  return report
}

const rpcOption = ({ network, rpc }: Draft): string | undefined => {
  if (rpc.hosts.length === 0 && rpc.port === undefined) return undefined
  return printHostPort({ host: rpc.hosts[0] ?? network.rpc.host, port: rpc.port ?? network.rpc.port })
}

const tableOf = (name: string): string => name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : ""

const ownName = (name: string): string => name.slice(name.lastIndexOf(".") + 1)

const render = (path: string, draft: Draft, rpcAddress: string | undefined): string => {
  const lines = [`# Drafted from ${path}. \`node config validate\` checks it.`]
  if (rpcAddress !== undefined) lines.push(`# The address of RPC is no key of a file; start with: node --rpc-addr ${rpcAddress}`)
  for (const table of FILE_TABLES.keys()) {
    const keys = FILE_KEYS.filter(({ name }) => tableOf(name) === table && draft.values.has(name))
    if (keys.length === 0) continue
    lines.push("", ...(table === "" ? [] : [`[${table}]`]))
    for (const { name } of keys) lines.push(`${ownName(name)} = ${tomlValue(draft.values.get(name))}`)
  }
  return `${lines.join("\n")}\n`
}

const remarksOnRpc = (address: string | undefined, draft: Draft): ReadonlyArray<string> => {
  if (address === undefined) return []
  const isOpen = draft.rpc.hosts[0] !== undefined && !isLoopback({ host: draft.rpc.hosts[0], port: 0 })
  const remarks = [`rpcbind and rpcport become an option: --rpc-addr ${address} (or NODE_RPC_ADDR=${address})`]
  return isOpen && !draft.values.has("rpc_auth.password")
    ? [...remarks, "RPC would be open to other machines: set [rpc_auth] before that"]
    : remarks
}

/** The reference node listens for nobody where it connects through a proxy, or only to named nodes, unless it is told to. */
const keptClosed = ({ listen, values }: Draft): ReadonlyArray<string> => {
  const isHidden = values.has("connections.proxy") || values.has("connections.only_persistent_peers")
  if (!isHidden || values.has("connections.listen") || listen.host !== undefined) return []
  values.set("connections.listen", false)
  return ["nobody may connect, as with proxy and connect there: [connections] listen = true changes that"]
}

/** A draft of our configuration from the text of a `bitcoin.conf`. The values of passwords appear in the draft alone. */
export const convertCoreConfig = (path: string, text: string): Conversion => {
  const { entries, problems } = parseBitcoinConf(path, text)
  if (problems.length > 0) return { toml: "", report: [], problems }
  const network = coreNetworkOf(entries)
  if (Result.isFailure(network)) return { toml: "", report: [], problems: [`${path}: ${network.failure}`] }
  const { row, section } = network.success
  const draft: Draft = {
    values: new Map<string, unknown>([["transport_preference", "tcponly"], ["protocol_version", row.protocolVersion]]),
    peers: [],
    rpc: { hosts: [], port: undefined },
    listen: { host: undefined, port: undefined, more: [] },
    trusted: [],
    network: row
  }
  const { chosen, passedOver } = choose(entries, section)
  const remarks = chosen.flatMap((entry) => {
    const remark = remarkOn(entry, draft)
    return remark === undefined ? [] : [[entry, remark] as const]
  })
  if (draft.peers.length > 0) draft.values.set("persistent_peers", draft.peers)
  if (draft.trusted.length > 0) draft.values.set("connections.trusted_peers", draft.trusted)
  const { host, more, port } = draft.listen
  const places = more.map((place) => printHostPort({ host: place.host, port: place.port ?? port ?? row.listen.port }))
  if (places.length > 0) draft.values.set("connections.more_listen_addrs", places)
  if (host !== undefined || port !== undefined) {
    draft.values.set("listen_addr", printHostPort({ host: host ?? row.listen.host, port: port ?? row.listen.port }))
  }
  const closed = keptClosed(draft)
  const rpcAddress = rpcOption(draft)
  const report = [
    ...[...remarks, ...passedOver].sort(([left], [right]) => left.line - right.line)
      .map(([entry, remark]) => `${path}:${entry.line}: ${entry.key}: ${remark}`),
    ...judged(draft),
    ...closed,
    ...remarksOnRpc(rpcAddress, draft)
  ]
  return { toml: render(path, draft, rpcAddress), report, problems: [] }
}
