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

/** A value of `-proxy`: where the proxy is, and the one network it is for. */
interface ProxyValue {
  readonly address: string
  readonly network: string | undefined
}

const proxyValue = (text: string, problems: Array<string>): ProxyValue | undefined => {
  const equals = text.lastIndexOf("=")
  if (equals < 0) return { address: text, network: undefined }
  const [address, network] = [text.slice(0, equals), text.slice(equals + 1).toLowerCase()]
  if (network === "") problems.push(`Invalid -proxy address or hostname, ends with '=': '${text}'`)
  else if (NETWORKS.includes(network)) return { address, network }
  else problems.push(`Unrecognized network in -proxy='${text}': '${network}'`)
  return undefined
}

/** The proxies of `-proxy`, later ones before earlier ones. */
const proxiesOf = ({ args, notices, problems }: Draft) => {
  const chosen: { general: string | undefined; onion: string | undefined } = { general: undefined, onion: undefined }
  for (const text of args.list("proxy")) {
    const value = proxyValue(text, problems)
    if (value === undefined) continue
    const { address, network } = value
    const proxy = address === "" || address === "0" ? undefined : proxyAt("proxy", address, problems)
    if (network === "cjdns") notices.push(`-proxy=${text}: the node dials no CJDNS addresses`)
    else if (network === "onion") chosen.onion = proxy
    else {
      chosen.general = proxy
      if (network === undefined) chosen.onion = undefined
      else notices.push(`-proxy=${text}: one proxy is used for IPv4 and IPv6`)
    }
  }
  return chosen
}

/** The proxies through which other nodes are reached. */
export const planProxies = (draft: Draft): void => {
  const { args, notices, problems, values } = draft
  const { general, onion } = proxiesOf(draft)
  const text = args.text("onion") ?? ""
  const ofOnion = text === "" || text === "0" ? onion : proxyAt("onion", text, problems)
  if (text === "0" && general !== undefined) {
    notices.push("-onion=0: onion services are reached through -proxy; -onlynet keeps to other networks")
  }
  if (general !== undefined) values.set("connections.proxy", general)
  if (ofOnion !== undefined) values.set("connections.onion_proxy", ofOnion)
  values.set("connections.isolate_streams", args.flag("proxyrandomize") ?? true)
}
