import type { JsonRead } from "../../json/json-value.ts"
import { CORE_VERSION } from "../../bitcoind/process/version-text.ts"
import type { Node, Reply } from "../call-node.ts"
import { failClient } from "../client-failure.ts"
import { plainText } from "../core-json.ts"
import { peerRow, serviceLetters } from "./netinfo-peer.ts"
import { countTable, localAddresses, NETINFO_NETWORKS, peerTable } from "./netinfo-tables.ts"
import { reportedList, member, numberIn, succeeded } from "./report.ts"

interface Wanted {
  readonly level: number
  readonly isOutboundOnly: boolean
}

const MOST_DETAILED = 4
const MOST_TYPED = 255
const MORE = "For more information, run: bitcoin-cli -netinfo help"

const wantedBy = ([level = "0", only]: ReadonlyArray<string>): Wanted => {
  const number = /^\+?\d+$/.test(level) ? Number(level) : MOST_TYPED + 1
  if (number > MOST_TYPED) return failClient(`invalid -netinfo level argument: ${level}\n${MORE}`)
  const isOutboundOnly = only === "o" || only === "outonly"
  if (only !== undefined && number === 0) {
    return failClient(
      `invalid -netinfo outonly argument: ${only}\nThe outonly argument is only valid for a level greater than 0 (the first argument). ${MORE}`
    )
  }
  if (only !== undefined && !isOutboundOnly) return failClient(`invalid -netinfo outonly argument: ${only}\n${MORE}`)
  return { level: Math.min(number, MOST_DETAILED), isOutboundOnly }
}

const OLDEST_SERVER = 209_900

const serviceNames = (names: JsonRead): string =>
  reportedList(names).map((name) => plainText(name).toLowerCase().replaceAll("_", " ")).join(", ")

/** Reports the connections of a node. `chain` is named as in the client's options, `now` is in Unix seconds. */
export const netinfo = async (
  node: Node,
  words: ReadonlyArray<string>,
  { chain, now }: { readonly chain: string; readonly now: () => number }
): Promise<Reply> => {
  const { isOutboundOnly, level } = wantedBy(words)
  const [peers, network] = await node.calls([
    { method: "getpeerinfo", params: [] },
    { method: "getnetworkinfo", params: [] }
  ]) as [Reply, Reply]
  if (peers.error !== null) return peers
  if (network.error !== null) return network
  const ofNetwork = (name: string): JsonRead => member(network.result, name)
  if (numberIn(ofNetwork("version")) < OLDEST_SERVER) {
    return failClient("-netinfo requires bitcoind server to be running v0.21.0 and up")
  }
  const all = reportedList(peers.result)
  const detailed = all.filter((peer) =>
    level > 0 && Object.hasOwn(NETINFO_NETWORKS, plainText(member(peer, "network"))) &&
    !(isOutboundOnly && member(peer, "inbound") === true)
  )
  const time = now()
  const services = level > 0 ? ` - services ${serviceLetters(ofNetwork("localservicesnames"))}` : ""
  const client = `Bitcoin Core client ${CORE_VERSION}${chain === "main" ? "" : ` ${chain === "test" ? "testnet" : chain}`}`
  const server = `server ${plainText(ofNetwork("protocolversion"))}${plainText(ofNetwork("subversion"))}`
  const table = peerTable(detailed.map((peer) => peerRow(peer, time)), {
    address: level === 2 || level === 4,
    version: level === 3 || level === 4
  })
  const named = level > 0 ? "" : `Local services: ${serviceNames(ofNetwork("localservicesnames"))}\n\n`
  return succeeded(
    `${client} - ${server}${services}\n\n${table}${countTable(all, ofNetwork("networks"))}\n\n${named}${
      localAddresses(reportedList(ofNetwork("localaddresses")))
    }`
  )
}
