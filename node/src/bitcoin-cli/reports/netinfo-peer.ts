import type { Seconds } from "../../quantities.ts"
import type { JsonRead } from "../../json/json-value.ts"
import { plainText } from "../core-json.ts"
import { reportedList, member, numberIn } from "./report.ts"

/** A row of the table of peers, with all that it may show. */
export interface PeerRow {
  readonly isOutbound: boolean
  readonly type: string
  readonly network: string
  readonly services: string
  readonly transport: string
  /** Seconds; -1 if unknown. */
  readonly minPing: Seconds
  readonly ping: Seconds
  readonly sent: string
  readonly received: string
  readonly transaction: string
  readonly block: string
  readonly highBandwidth: string
  readonly addresses: string
  readonly limitedAddresses: string
  readonly age: string
  readonly mappedAs: string
  readonly id: string
  readonly address: string
  readonly version: string
}

const SHORT_SERVICES: Readonly<Record<string, string>> = { NETWORK_LIMITED: "l", P2P_V2: "2" }

/** Returns one letter for each service. */
export const serviceLetters = (names: JsonRead): string =>
  reportedList(names).map(plainText).map((name) => SHORT_SERVICES[name] ?? name.slice(0, 1).toLowerCase()).join("")

const SHORT_TYPES: Readonly<Record<string, string>> = {
  "outbound-full-relay": "full",
  "block-relay-only": "block",
  manual: "manual",
  feeler: "feeler",
  "addr-fetch": "addr",
  "private-broadcast": "priv"
}

const SECONDS_PER_MINUTE = 60

/** Builds the table row of a peer as `getpeerinfo` reports it, at a Unix time in seconds. */
export const peerRow = (peer: JsonRead, now: number): PeerRow => {
  const text = (name: string): string => plainText(member(peer, name))
  const number = (name: string): number => numberIn(member(peer, name))
  const isTrue = (name: string): boolean => member(peer, name) === true
  const since = (name: string, unit: number, never = ""): string => {
    const then = number(name)
    return then === 0 ? never : String(Math.trunc((now - then) / unit))
  }
  const counted = (name: string, none: string): string => number(name) === 0 ? none : text(name)
  const relaysTransactions = member(peer, "relaytxes") === null || isTrue("relaytxes")
  const transport = member(peer, "transport_protocol_type") === null ? "v1" : text("transport_protocol_type")
  const network = text("network")
  const version = text("version") + text("subver")
  return {
    isOutbound: !isTrue("inbound"),
    type: SHORT_TYPES[text("connection_type")] ?? "",
    network: network === "not_publicly_routable" ? "npr" : network,
    services: serviceLetters(member(peer, "servicesnames")),
    transport: /^v.$/.test(transport) ? transport.slice(1) : " ",
    minPing: numberIn(member(peer, "minping"), -1),
    ping: numberIn(member(peer, "pingtime"), -1),
    sent: since("lastsend", 1),
    received: since("lastrecv", 1),
    transaction: since("last_transaction", SECONDS_PER_MINUTE, relaysTransactions ? "" : "*"),
    block: since("last_block", SECONDS_PER_MINUTE),
    highBandwidth: `${isTrue("bip152_hb_to") ? "." : " "}${isTrue("bip152_hb_from") ? "*" : " "}`,
    addresses: counted("addr_processed", isTrue("addr_relay_enabled") ? "" : "."),
    limitedAddresses: counted("addr_rate_limited", ""),
    age: since("conntime", SECONDS_PER_MINUTE),
    mappedAs: counted("mapped_as", ""),
    id: text("id"),
    address: text("addr"),
    version: version === "0" ? "" : version
  }
}
