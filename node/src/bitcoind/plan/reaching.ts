import { judgeValue } from "../../config/given/judge-value.ts"
import { keyCalled } from "../../config/catalogue.ts"
import * as Result from "effect/Result"
import type { Proxies } from "../../config/config.ts"
import { pathOf, under } from "../args/directories.ts"
import { printHostPort } from "../../config/host-port.ts"
import { clamp, type PlanDraft, numberGiven } from "./draft.ts"
import { reachableAddress, splitHostAndPort } from "./places-of.ts"

const MOST_CONNECTIONS = 100_000
const DEFAULT_CONNECTIONS = 125

const OUTBOUND = "Outbound connections restricted to"

const KNOWN: ReadonlyArray<string> = ["ipv4", "ipv6", "onion", "i2p", "cjdns"]

/** Returns why the node cannot choose peers in a network, or `undefined` if it can. */
const unreachable = ({ args, values }: PlanDraft, text: string): string | undefined => {
  const network = text.toLowerCase()
  if (network === "cjdns" && args.flag("cjdnsreachable") !== true) {
    return `${OUTBOUND} CJDNS (-onlynet=cjdns) but -cjdnsreachable is not provided`
  }
  if (network === "i2p" && !values.has("connections.i2p_sam")) {
    return `${OUTBOUND} i2p (-onlynet=i2p) but -i2psam is not provided`
  }
  return KNOWN.includes(network) ? undefined : `Unknown network specified in -onlynet: '${text}'`
}

const SAM_PORT = 7_656

/** Plans the SAM endpoint for I2P. An invalid one is rejected elsewhere. */
const planI2p = ({ args, values }: PlanDraft): void => {
  const text = args.text("i2psam") ?? ""
  const split = text === "" ? undefined : splitHostAndPort(text)
  const host = split === undefined ? undefined : reachableAddress(split.host)
  if (host === undefined) return
  values.set("connections.i2p_sam", printHostPort({ host, port: split!.port ?? SAM_PORT }))
  values.set("connections.i2p_accept_incoming", args.flag("i2pacceptincoming") ?? true)
}

/** Returns why onion services cannot be reached, or `undefined` if they can. */
const withoutOnion = ({ args, values }: PlanDraft, { onion }: Proxies): string | undefined => {
  if (args.text("onion") === "0") {
    return `${OUTBOUND} Tor (-onlynet=onion) but the proxy for reaching the Tor network is explicitly forbidden: -onion=0`
  }
  return onion !== undefined || values.has("connections.tor_control")
    ? undefined
    : `${OUTBOUND} Tor (-onlynet=onion) but the proxy for reaching the Tor network is not provided: none of -proxy, -onion or -listenonion is given`
}

const isKnown = (text: string): boolean => KNOWN.includes(text.toLowerCase())

/** Plans the networks in which peers are chosen. */
const planNetworks = (draft: PlanDraft, proxies: Proxies): void => {
  const { args, problems, values } = draft
  const given = args.list("onlynet")
  problems.push(...given.flatMap((text) => unreachable(draft, text) ?? []))
  const chosen = [...new Set(given.filter(isKnown).map((text) => text.toLowerCase()))]
  const fault = chosen.includes("onion") ? withoutOnion(draft, proxies) : undefined
  if (fault !== undefined) problems.push(fault)
  values.set("connections.onlynet", chosen)
  const hasInternet = given.length === 0 || chosen.includes("ipv4") || chosen.includes("ipv6")
  if (!hasInternet && args.flag("dnsseed") === true) {
    problems.push(
      "Incompatible options: -dnsseed=1 was explicitly specified, but -onlynet forbids connections to IPv4/IPv6"
    )
  }
}

/** Returns the values that name a node, with a notice about each other value. */
const nodesOf = ({ notices }: PlanDraft, option: string, texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text) => {
    const isNode = Result.isSuccess(judgeValue(keyCalled("persistent_peers"), [text]))
    if (!isNode) notices.push(`-${option}=${text} names no node`)
    return isNode
  })

/** Plans the asmap file. A relative path is below the directory of the chain. */
const planAsmap = ({ args, directory, problems, values }: PlanDraft): void => {
  if (!args.isSet("asmap") || args.isNegated("asmap")) return
  const path = pathOf(args.value("asmap"))
  if (path === undefined) problems.push("Embedded asmap data not available")
  else values.set("connections.asmap", under(directory, path))
}

/** Adds notices about options that `-connect` makes ineffective. */
const noticeIgnored = ({ args, notices }: PlanDraft, connect: ReadonlyArray<string>): void => {
  if (!args.isSet("connect")) return
  if (connect.length > 0 && args.list("seednode").length > 0) {
    notices.push("-seednode is ignored when -connect is used")
  }
  if (args.flag("dnsseed") === true && args.isSet("proxy")) {
    notices.push("-dnsseed is ignored when -connect is used and -proxy is specified")
  }
}

/** File descriptors that Core reserves, and its slots for `-addnode`. */
const RESERVED_DESCRIPTORS = 151
const ADDNODE_PLACES = 8

/** Limits the number of connections to the file descriptors that remain. */
const planConnections = (draft: PlanDraft): void => {
  const { args, descriptors, problems, values, warnings } = draft
  const wanted = numberGiven(draft, "maxconnections", DEFAULT_CONNECTIONS)
  if (wanted < 0) problems.push("-maxconnections must be greater or equal than zero")
  const binds = Math.max(1, args.list("bind").length + args.list("whitebind").length)
  const required = RESERVED_DESCRIPTORS + ADDNODE_PLACES + binds
  if (descriptors < required) {
    problems.push(`Not enough file descriptors available. ${descriptors} available, ${required} required.`)
  } else if (descriptors - required < wanted) {
    warnings.push(
      `Reducing -maxconnections from ${wanted} to ${descriptors - required}, because of system limitations.`
    )
  }
  values.set("max_peers", clamp(Math.min(wanted, descriptors - required), 0, MOST_CONNECTIONS))
}

/** Plans the peers that the node connects to, and their number. */
export const planReaching = (draft: PlanDraft, proxies: Proxies): void => {
  const { args, problems, values } = draft
  planI2p(draft)
  values.set("connections.cjdns_reachable", args.flag("cjdnsreachable") ?? false)
  planNetworks(draft, proxies)
  planConnections(draft)
  const isLimited = args.isSet("connect")
  const connect = args.list("connect").filter((host) => host !== "0")
  noticeIgnored(draft, connect)
  values.set("connections.only_persistent_peers", isLimited)
  values.set("persistent_peers", [
    ...nodesOf(draft, "connect", connect),
    ...nodesOf(draft, "addnode", args.list("addnode"))
  ])
  if (args.flag("forcednsseed") === true && args.flag("dnsseed") === false) {
    problems.push("Cannot set -forcednsseed to true when setting -dnsseed to false.")
  }
  values.set("connections.dns_seeds", args.flag("dnsseed") ?? true)
  values.set("connections.fixed_seeds", args.flag("fixedseeds") ?? true)
  planAsmap(draft)
  values.set("connections.serve_bloom_filters", args.flag("peerbloomfilters") ?? false)
  values.set("connections.blocks_only", args.flag("blocksonly") ?? false)
  values.set("connections.v2_transport", args.flag("v2transport") ?? true)
  values.set("enable_self_advertisement", args.flag("discover") ?? true)
}
