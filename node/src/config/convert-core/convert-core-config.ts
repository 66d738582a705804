import * as Result from "effect/Result"
import { FILE_KEYS, FILE_TABLES } from "../catalogue.ts"
import { nearest } from "@lockstep/protocol/nearest-name.ts"
import { judgeValue } from "../given/judge-value.ts"
import { printHostPort } from "../host-port.ts"
import { tomlValue } from "../show/toml-value.ts"
import { ACCESS_KEYS, CORE_MAPPING } from "./core-mapping.ts"
import { coreNetworkOf, isNetworkKey } from "./core-network.ts"
import { type ConfigDraft, emptyDraft, type Remark } from "./draft.ts"
import { CORE_SECTIONS, type CoreEntry, type CoreSection, parseBitcoinConf } from "./parse-bitcoin-conf.ts"
import { asWritten } from "../../typed-command.ts"
import { settleDraft } from "./settle-draft.ts"
import { startProblems } from "./start-problems.ts"

export interface Conversion {
  /** The draft; empty if there are problems. */
  readonly toml: string
  /** Omitted settings and remarks, each a line for the operator. */
  readonly report: ReadonlyArray<string>
  /** Omitted settings that decide which callers and peers reach the node, what they may do, and what it shows. */
  readonly access: ReadonlyArray<string>
  /** Reasons why no draft could be made. */
  readonly problems: ReadonlyArray<string>
}

/** Outside a section these apply to mainnet alone: so Bitcoin Core keeps a test network off the main one. */
const MAINNET_ONLY = new Set(["addnode", "connect", "port", "bind", "rpcport", "rpcbind"])

/** These accumulate. Of any other key the first one applies, and one in the network's section precedes one outside. */
const REPEATABLE = new Set(
  [
    "addnode",
    "connect",
    "debug",
    "deprecatedrpc",
    "rpcbind",
    "bind",
    "rpcallowip",
    "rpcauth",
    "rpcwhitelist",
    "whitelist",
    "whitebind",
    "onlynet",
    "proxy",
    "externalip",
    "ipcbind",
    "includeconf",
    "testactivationheight",
    "loglevel",
    "zmqpubhashblock",
    "zmqpubrawblock",
    "zmqpubhashtx",
    "zmqpubrawtx",
    "zmqpubsequence"
  ]
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
      passedOver.push([entry, `holds for mainnet alone, so Bitcoin Core ignores it; put it under [${network}]`])
    } else if (seen.has(key) && !REPEATABLE.has(key)) passedOver.push([entry, "an earlier value holds"])
    else {
      seen.add(key)
      chosen.push(entry)
    }
  }
  return { chosen, passedOver }
}

/** The outcome of an entry, and whether an omitted one needs the operator's attention. */
interface Outcome {
  readonly entry: CoreEntry
  readonly remark: Remark
  readonly isAccess: boolean
}

const outcomeOf = (entry: CoreEntry, draft: ConfigDraft): Outcome => {
  const { key, value } = entry
  const mapping = Object.hasOwn(CORE_MAPPING, key) ? CORE_MAPPING[key] : undefined
  if (mapping !== undefined) return { entry, remark: mapping(value, draft), isAccess: ACCESS_KEYS.has(key) }
  const near = nearest(key, Object.keys(CORE_MAPPING))
  const hint = near === undefined ? "" : ` (or is it ${near}?)`
  return { entry, remark: `has no counterpart here${hint}`, isAccess: near !== undefined && ACCESS_KEYS.has(near) }
}

/** Checks the draft, because a value of Bitcoin Core may be invalid in the schema. */
const judged = (draft: ConfigDraft): ReadonlyArray<readonly [name: string, text: string]> => {
  const report: Array<readonly [string, string]> = []
  for (const [name, value] of draft.values) {
    const key = FILE_KEYS.find((candidate) => candidate.name === name)
    const result = key === undefined ? undefined : judgeValue(key, value)
    if (result !== undefined && Result.isSuccess(result)) continue
    draft.values.delete(name)
    report.push([
      name,
      `left out ${key?.shown ?? name}${result === undefined ? ": no such key" : `: ${result.failure}`}`
    ])
  }
  return report
}

const rpcOption = ({ network, rpc }: ConfigDraft): string | undefined => {
  if (rpc.hosts.length === 0 && rpc.port === undefined) return undefined
  return printHostPort({ host: rpc.hosts[0] ?? network.rpc.host, port: rpc.port ?? network.rpc.port })
}

const tableOf = (name: string): string => name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : ""

const ownName = (name: string): string => name.slice(name.lastIndexOf(".") + 1)

const render = (path: string, draft: ConfigDraft, access: ReadonlyArray<string>): string => {
  const lines = [`# Drafted from ${path}. ${asWritten("config validate <path>")} checks it.`]
  const rpcAddress = rpcOption(draft)
  if (rpcAddress !== undefined) {
    lines.push(`# The address of RPC is no key of a file; start with: ${asWritten(`start --rpc-addr ${rpcAddress}`)}`)
  }
  if (access.length > 0) {
    lines.push(
      `# Settings about privacy and access are missing here: ${asWritten("config convert-core <path>")} names them.`
    )
  }
  for (const table of FILE_TABLES.keys()) {
    const keys = FILE_KEYS.filter(({ name }) => tableOf(name) === table && draft.values.has(name))
    if (keys.length === 0) continue
    lines.push("", ...(table === "" ? [] : [`[${table}]`]))
    for (const { name } of keys) lines.push(`${ownName(name)} = ${tomlValue(draft.values.get(name))}`)
  }
  for (const [name, settings] of draft.modules) {
    lines.push(
      "",
      `[modules.${name}]`,
      ...Object.entries(settings).map(([key, value]) => `${key} = ${tomlValue(value)}`)
    )
  }
  return `${lines.join("\n")}\n`
}

const remarksOnRpc = (address: string | undefined): ReadonlyArray<string> =>
  address === undefined
    ? []
    : [`rpcbind and rpcport become an option: --rpc-addr ${address} (or NODE_RPC_ADDR=${address})`]

/** Reports whether a setting is about callers. */
const isAboutCallers = ({ key }: CoreEntry): boolean =>
  key.startsWith("rpc") && ACCESS_KEYS.has(key) && key !== "rpcport"

/** Reports whether the values of a table decide about access. */
const isAccessValue = (name: string): boolean =>
  /^(rpc|rpc_auth|connections)\./.test(name) || name === "persistent_peers"

const failed = (...problems: ReadonlyArray<string>): Conversion => ({ toml: "", report: [], access: [], problems })

const lineOf = (path: string, { key, line }: CoreEntry, text: string): string => `${path}:${line}: ${key}: ${text}`

/**
 * Makes a draft of the node's configuration from the text of a `bitcoin.conf`. The values of passwords appear in the
 * draft alone.
 */
export const convertCoreConfig = (path: string, content: string): Conversion => {
  const { entries, problems } = parseBitcoinConf(path, content)
  if (problems.length > 0) return failed(...problems)
  const network = coreNetworkOf(entries)
  if (Result.isFailure(network)) return failed(`${path}: ${network.failure}`)
  const { row, section } = network.success
  const draft = emptyDraft(row)
  const { chosen, passedOver } = choose(entries, section)
  const outcomes = chosen.map((entry) => outcomeOf(entry, draft))
  const unfit = judged(draft)
  const settled = settleDraft(draft, chosen.some(isAboutCallers))
  const unfitTogether = judged(draft)
  const remarks: Array<readonly [entry: CoreEntry, text: string]> = [...passedOver]
  const access: Array<string> = []
  for (const { entry, isAccess, remark } of outcomes) {
    if (remark === undefined) continue
    if (typeof remark === "string" && isAccess) access.push(lineOf(path, entry, remark))
    else remarks.push([entry, typeof remark === "string" ? remark : remark.note])
  }
  const leftOut = [...unfit, ...unfitTogether]
  access.push(...leftOut.filter(([name]) => isAccessValue(name)).map(([, text]) => text), ...settled.missing)
  const report = [
    ...remarks.sort(([left], [right]) => left.line - right.line).map(([entry, text]) => lineOf(path, entry, text)),
    ...leftOut.filter(([name]) => !isAccessValue(name)).map(([, text]) => text),
    ...settled.notes,
    ...remarksOnRpc(rpcOption(draft))
  ]
  const refused = startProblems(draft.values)
  if (refused.length > 0) {
    return failed(...refused.map((problem) => `${path}: start would refuse the draft: ${problem}`))
  }
  return { toml: render(path, draft, access), report, access, problems: [] }
}
