import { judgeValue } from "../../config/given/judge-value.ts"
import { keyCalled } from "../../config/catalogue.ts"
import * as Result from "effect/Result"
import { clamp, type Draft, numberOf } from "./draft.ts"

const MOST_CONNECTIONS = 100_000
const DEFAULT_CONNECTIONS = 125

const OUTBOUND = "Outbound connections restricted to"

/** In which networks peers are chosen. */
const planNetworks = ({ args, problems, values }: Draft): void => {
  const chosen = new Set<string>()
  for (const text of args.list("onlynet")) {
    const network = text.toLowerCase()
    if (network === "ipv4" || network === "ipv6" || network === "onion") chosen.add(network)
    else if (network === "cjdns" && args.flag("cjdnsreachable") !== true) {
      problems.push(`${OUTBOUND} CJDNS (-onlynet=cjdns) but -cjdnsreachable is not provided`)
    } else if (network === "i2p" && (args.text("i2psam") ?? "") === "") {
      problems.push(`${OUTBOUND} i2p (-onlynet=i2p) but -i2psam is not provided`)
    } else if (network === "i2p" || network === "cjdns") {
      problems.push(`${OUTBOUND} ${network} (-onlynet=${text}), which this node cannot reach`)
    } else problems.push(`Unknown network specified in -onlynet: '${text}'`)
  }
  const hasProxy = values.has("connections.proxy") || values.has("connections.onion_proxy")
  if (chosen.has("onion") && args.text("onion") === "0") {
    problems.push(
      `${OUTBOUND} Tor (-onlynet=onion) but the proxy for reaching the Tor network is explicitly forbidden: -onion=0`
    )
  } else if (chosen.has("onion") && !hasProxy) {
    problems.push(
      `${OUTBOUND} Tor (-onlynet=onion) but the proxy for reaching the Tor network is not provided: none of -proxy, -onion or -listenonion is given`
    )
  }
  values.set("connections.onlynet", [...chosen])
  const hasInternet = chosen.size === 0 || chosen.has("ipv4") || chosen.has("ipv6")
  if (!hasInternet && args.flag("dnsseed") === true) {
    problems.push(
      "Incompatible options: -dnsseed=1 was explicitly specified, but -onlynet forbids connections to IPv4/IPv6"
    )
  }
}

/** Names of nodes that the operator gave, as far as they name one. */
const nodesOf = ({ notices }: Draft, option: string, texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text) => {
    const isNode = Result.isSuccess(judgeValue(keyCalled("persistent_peers"), [text]))
    if (!isNode) notices.push(`-${option}=${text} names no node`)
    return isNode
  })

/** Which nodes are connected to, and how many. */
export const planReaching = (draft: Draft): void => {
  const { args, problems, values } = draft
  planNetworks(draft)
  const most = numberOf(draft, "maxconnections", DEFAULT_CONNECTIONS)
  if (most < 0) problems.push("-maxconnections must be greater or equal than zero")
  values.set("max_peers", clamp(most, 0, MOST_CONNECTIONS))
  const isLimited = args.isSet("connect")
  const connect = args.list("connect").filter((host) => host !== "0")
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
  values.set("connections.blocks_only", args.flag("blocksonly") ?? false)
  values.set("enable_self_advertisement", args.flag("discover") ?? true)
}
