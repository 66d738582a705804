import { printHostPort } from "../../config/host-port.ts"
import type { Draft } from "./draft.ts"
import { addressOf, hostAndPort } from "./places-of.ts"

const DEFAULT_PORT = 9_050

const NETWORKS = ["ipv4", "ipv6", "onion", "cjdns"]

/** The proxy that a text names, as our keys write it. */
const proxyAt = (option: "onion" | "proxy", text: string, problems: Array<string>): string | undefined => {
  if (text.startsWith("unix:")) {
    problems.push(`Invalid -${option} address or hostname: '${text}'`)
    return undefined
  }
  const split = hostAndPort(text)
  if (split === undefined) {
    problems.push(`Invalid port specified in -${option}: '${text}'`)
    return undefined
  }
  const host = addressOf(split.host)
  if (host === undefined) {
    problems.push(`Invalid -${option} address or hostname: '${text}'`)
    return undefined
  }
  return printHostPort({ host, port: split.port ?? DEFAULT_PORT })
}

/** The proxies through which other nodes are reached. */
export const planProxies = ({ args, notices, problems, values }: Draft): void => {
  let general: string | undefined
  let onion: string | undefined
  for (const text of args.list("proxy")) {
    const equals = text.lastIndexOf("=")
    const address = equals < 0 ? text : text.slice(0, equals)
    const network = equals < 0 ? undefined : text.slice(equals + 1).toLowerCase()
    if (network === "") {
      problems.push(`Invalid -proxy address or hostname, ends with '=': '${text}'`)
      continue
    }
    if (network !== undefined && !NETWORKS.includes(network)) {
      problems.push(`Unrecognized network in -proxy='${text}': '${network}'`)
      continue
    }
    const isNone = address === "" || address === "0"
    const proxy = isNone ? undefined : proxyAt("proxy", address, problems)
    if (network === "onion") onion = proxy
    else if (network === "cjdns") notices.push(`-proxy=${text}: the node dials no CJDNS addresses`)
    else {
      if (network !== undefined) notices.push(`-proxy=${text}: one proxy is used for IPv4 and IPv6`)
      general = proxy
      if (network === undefined) onion = undefined
    }
  }
  const chosen = args.text("onion")
  if (chosen !== undefined && chosen !== "" && chosen !== "0") onion = proxyAt("onion", chosen, problems)
  if (chosen === "0" && general !== undefined) {
    notices.push("-onion=0: onion services are reached through -proxy; -onlynet keeps to other networks")
  }
  if (general !== undefined) values.set("connections.proxy", general)
  if (onion !== undefined) values.set("connections.onion_proxy", onion)
  values.set("connections.isolate_streams", args.flag("proxyrandomize") ?? true)
}
