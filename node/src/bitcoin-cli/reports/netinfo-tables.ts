import type { JsonRead } from "../../json/json-value.ts"
import { plainText } from "../core-json.ts"
import type { PeerRow } from "./netinfo-peer.ts"
import { reportedList, member } from "./report.ts"

const MOST_MILLISECONDS = 999_999

const pingText = (seconds: number): string => {
  if (seconds < 0) return ""
  const milliseconds = Math.round(seconds * 1_000)
  return milliseconds > MOST_MILLISECONDS ? "-" : String(milliseconds)
}

const widest = (rows: ReadonlyArray<PeerRow>, column: keyof PeerRow, least: number): number =>
  Math.max(least, ...rows.map((row) => String(row[column]).length))

/** Optional columns of the table of peers. */
export interface Columns {
  readonly address: boolean
  readonly version: boolean
}

const sorted = (rows: ReadonlyArray<PeerRow>): ReadonlyArray<PeerRow> =>
  rows.toSorted((one, other) =>
    one.isOutbound === other.isOutbound ? one.minPing - other.minPing : one.isOutbound ? 1 : -1
  )

/** Formats the table of peers: inbound ones first, then by their lowest ping. */
export const peerTable = (rows: ReadonlyArray<PeerRow>, columns: Columns): string => {
  if (rows.length === 0) return ""
  const width = {
    services: widest(rows, "services", 6),
    addresses: widest(rows, "addresses", 5),
    limited: widest(rows, "limitedAddresses", 6),
    age: widest(rows, "age", 5),
    id: widest(rows, "id", 2),
    address: columns.address ? widest(rows, "address", 0) + 1 : 0
  }
  const hasAutonomousSystems = rows.some(({ mappedAs }) => mappedAs !== "")
  const head = [
    `<->   type   net ${"serv".padStart(width.services)}  v  mping   ping send recv  txn  blk  hb `,
    "addrp".padStart(width.addresses),
    "addrl".padStart(width.limited),
    `${"age".padStart(width.age)} `,
    hasAutonomousSystems ? " asmap " : "",
    `${"id".padStart(width.id)} `,
    (columns.address ? "address" : "").padEnd(width.address),
    columns.version ? "version" : ""
  ]
  const lines = sorted(rows).map((row) =>
    [
      `${(row.isOutbound ? "out" : "in").padStart(3)} ${row.type.padStart(6)} ${row.network.padStart(5)} `,
      `${row.services.padStart(width.services)} ${row.transport.padStart(2)}`,
      pingText(row.minPing).padStart(7),
      pingText(row.ping).padStart(7),
      ...[row.sent, row.received, row.transaction, row.block].map((text) => text.padStart(5)),
      `  ${row.highBandwidth} `,
      row.addresses.padStart(width.addresses),
      row.limitedAddresses.padStart(width.limited),
      row.age.padStart(width.age),
      row.mappedAs.padStart(hasAutonomousSystems ? 7 : 0),
      ` ${row.id.padStart(width.id)} `,
      (columns.address ? row.address : "").padEnd(width.address),
      columns.version ? row.version : ""
    ].join("")
  )
  const units = `${" ".repeat(16 + width.services)}         ms     ms  sec  sec  min  min${" ".repeat(16)}${
    "min".padStart(width.age)
  }`
  return `${[head.join(""), ...lines, units].join("\n")}\n\n`
}

/** Networks that peers are counted by, with the headings of their columns. */
export const NETINFO_NETWORKS: Readonly<Record<string, string>> = {
  not_publicly_routable: "npr",
  ipv4: "ipv4",
  ipv6: "ipv6",
  onion: "onion",
  i2p: "i2p",
  cjdns: "cjdns",
  internal: "int"
}

/** Networks without addresses to dial; shown only if there are such peers. */
const UNREACHABLE = ["not_publicly_routable", "internal"]

const isOf = (network: string) => (peer: JsonRead): boolean => plainText(member(peer, "network")) === network

const wide = (value: number): string => `   ${String(value).padStart(5)}`

const isInbound = (peer: JsonRead): boolean => member(peer, "inbound") === true

/** Formats the number of peers by direction, network and kind. */
export const countTable = (peers: ReadonlyArray<JsonRead>, networks: JsonRead): string => {
  const known = peers.filter((peer) => Object.hasOwn(NETINFO_NETWORKS, plainText(member(peer, "network"))))
  const count = (isCounted: (peer: JsonRead) => boolean): number => known.filter(isCounted).length
  const ofType = (type: string): number => count((peer) => member(peer, "connection_type") === type)
  const reachable = reportedList(networks).filter((network) => member(network, "reachable") === true)
    .map((network) => plainText(member(network, "name"))).filter((name) => Object.hasOwn(NETINFO_NETWORKS, name))
  const shown = [...reachable, ...UNREACHABLE.filter((name) => count(isOf(name)) > 0)]
  const manual = ofType("manual")
  const row = (title: string, isCounted: (peer: JsonRead) => boolean, rest = ""): string =>
    title.padEnd(5) +
    shown.map((name) => String(count((peer) => isCounted(peer) && isOf(name)(peer))).padStart(8)).join("") +
    wide(count(isCounted)) + rest
  return [
    `     ${shown.map((name) => NETINFO_NETWORKS[name]!.padStart(8)).join("")}   total   block${manual > 0 ? "  manual" : ""}`,
    row("in", isInbound),
    row("out", (peer) => !isInbound(peer), wide(ofType("block-relay-only")) + (manual > 0 ? wide(manual) : "")),
    row("total", () => true)
  ].join("\n")
}

const text = (address: JsonRead, name: string): string => plainText(member(address, name))

/** Formats the addresses at which the node says it can be reached. */
export const localAddresses = (addresses: ReadonlyArray<JsonRead>): string => {
  if (addresses.length === 0) return "Local addresses: n/a\n"
  const width = Math.max(...addresses.map((each) => text(each, "address").length + 1))
  const lines = addresses.map((each) =>
    `\n${text(each, "address").padEnd(width)}    port ${text(each, "port").padStart(6)}    score ${
      text(each, "score").padStart(6)
    }`
  )
  return `Local addresses${lines.join("")}`
}
