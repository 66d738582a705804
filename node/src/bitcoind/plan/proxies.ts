import { resolve } from "node:path"
import type { Proxies, ProxyPlace } from "../../config/config.ts"
import { printProxyPlace, socketPath } from "../../config/proxy-place.ts"
import type { PlanDraft } from "./draft.ts"
import { reachableAddress, splitHostAndPort } from "./places-of.ts"

const DEFAULT_PORT = 9_050

/** Returns the proxy that a text names. */
const proxyAt = (draft: PlanDraft, option: "onion" | "proxy", text: string): ProxyPlace | undefined => {
  const { place, problems } = draft
  const path = socketPath(text)
  if (path !== undefined) return { path: resolve(place.directory, path) }
  const split = text.startsWith("unix:") ? { host: text, port: undefined } : splitHostAndPort(text)
  if (split === undefined) {
    problems.push(`Invalid port specified in -${option}: '${text}'`)
    return undefined
  }
  const host = reachableAddress(split.host)
  if (host === undefined) {
    problems.push(`Invalid -${option} address or hostname: '${text}'`)
    return undefined
  }
  return { host, port: split.port ?? DEFAULT_PORT }
}

/** Kinds of addresses to which a value of `-proxy` applies, by the network in it; all kinds if it names no network. */
const KINDS: Readonly<Record<string, ReadonlyArray<keyof Proxies>>> = {
  ipv4: ["ipv4", "names"],
  ipv6: ["ipv6", "names"],
  onion: ["onion"],
  cjdns: ["cjdns"]
}

const ALL: ReadonlyArray<keyof Proxies> = ["ipv4", "ipv6", "onion", "cjdns", "names"]

/** A value of `-proxy`: the address of the proxy and the kinds of addresses that it serves. */
interface ProxyValue {
  readonly address: string
  readonly kinds: ReadonlyArray<keyof Proxies>
}

const proxyValue = (text: string, problems: Array<string>): ProxyValue | undefined => {
  const equals = text.lastIndexOf("=")
  if (equals < 0) return { address: text, kinds: ALL }
  const [address, network] = [text.slice(0, equals), text.slice(equals + 1).toLowerCase()]
  const kinds = Object.hasOwn(KINDS, network) ? KINDS[network] : undefined
  if (network === "") problems.push(`Invalid -proxy address or hostname, ends with '=': '${text}'`)
  else if (kinds === undefined) problems.push(`Unrecognized network in -proxy='${text}': '${network}'`)
  else return { address, kinds }
  return undefined
}

/**
 * Plans the proxies for connections to peers. Later values of `-proxy` override earlier ones. For onion services,
 * `-onion` overrides them all.
 */
export const planProxies = (draft: PlanDraft): Proxies => {
  const { args, problems, values } = draft
  const proxies: Partial<Record<keyof Proxies, ProxyPlace | undefined>> = {}
  for (const text of args.list("proxy")) {
    const { address, kinds } = proxyValue(text, problems) ?? { address: "0", kinds: [] }
    const proxy = address === "" || address === "0" ? undefined : proxyAt(draft, "proxy", address)
    for (const kind of kinds) proxies[kind] = proxy
  }
  const text = args.text("onion") ?? ""
  if (text !== "") proxies.onion = text === "0" ? undefined : proxyAt(draft, "onion", text)
  const { cjdns, ipv4, ipv6, names, onion } = proxies
  const general = ipv4 ?? ipv6
  if (general !== undefined) values.set("connections.proxy", printProxyPlace(general))
  if (onion !== undefined) values.set("connections.onion_proxy", printProxyPlace(onion))
  values.set("connections.isolate_streams", args.flag("proxyrandomize") ?? true)
  return { ipv4, ipv6, onion, cjdns, names }
}
