import { concatBytes } from "@lockstep/kernel/bytes"
import { nobleCrypto } from "@lockstep/kernel/noble"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import { difference } from "@lockstep/property-tests/fuzz/run/difference.ts"
import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { type Received, type ScriptedPeer, usualVersion } from "../../p2p/peer/scripted-peer.ts"
import { hexOf } from "../../p2p/transcripts/scenarios.ts"
import { patience } from "../../process/patience.ts"
import { type FuzzedNetwork, networkOfThisThread, prepareNetwork } from "../fuzzed-network.ts"
import { REGRESSIONS } from "../regressions-directory.ts"

/** A request for filters (BIP157). A stop above the tip is a block that is not known. */
interface FilterRequest {
  readonly command: "getcfilters" | "getcfheaders" | "getcfcheckpt"
  readonly filterType: number
  readonly start: number
  readonly stop: number
}

/** The blocks of the chain and the hashes of their filters, from genesis on, and the filter headers that follow. */
interface KnownFilters {
  readonly blocks: ReadonlyArray<Uint8Array>
  readonly hashes: ReadonlyArray<Uint8Array>
  readonly headers: ReadonlyArray<Uint8Array>
}

const LIMIT_MS = patience(6_000)
const CHECKPOINT = 1_000
const NO_HEADER = new Uint8Array(32)

const anyRequest = (random: Random): FilterRequest => ({
  command: random.pick(["getcfilters", "getcfilters", "getcfheaders", "getcfheaders", "getcfcheckpt"] as const),
  filterType: random.oneIn(20) ? random.below(256) : 0,
  start: random.oneIn(15) ? random.below(2 ** 32) : random.below(random.oneIn(2) ? 5 : 330),
  stop: random.below(random.oneIn(20) ? 400 : 323)
})

const messageOf = ({ blocks }: KnownFilters, { command, filterType, start, stop }: FilterRequest): Message => {
  const hash = blocks[stop] ?? new Uint8Array(32).fill(1 + (stop & 127))
  return command === "getcfcheckpt"
    ? { command, filterType, stop: hash }
    : { command, filterType, startHeight: start, stop: hash }
}

const isRefused = ({ blocks }: KnownFilters, { command, filterType, start, stop }: FilterRequest): boolean => {
  if (filterType !== 0 || stop >= blocks.length) return true
  return command !== "getcfcheckpt" && (start > stop || stop - start >= (command === "getcfilters" ? 1_000 : 2_000))
}

const headerBefore = ({ headers }: KnownFilters, height: number): Uint8Array => headers[height - 1] ?? NO_HEADER

/** The answer to a request that is granted, as lines. */
const answerTo = (known: KnownFilters, { command, start, stop }: FilterRequest): ReadonlyArray<string> => {
  const { blocks, hashes, headers } = known
  if (command === "getcfilters") {
    return blocks.slice(start, stop + 1).map((block, i) => `cfilter ${hexOf(block)} ${hexOf(hashes[start + i]!)}`)
  }
  if (command === "getcfheaders") {
    const all = [headerBefore(known, start), ...hashes.slice(start, stop + 1)]
    return [`cfheaders ${hexOf(blocks[stop]!)} ${all.map(hexOf).join(" ")}`]
  }
  const heights = Array.from({ length: Math.floor(stop / CHECKPOINT) }, (_, i) => (i + 1) * CHECKPOINT)
  return [["cfcheckpt", hexOf(blocks[stop]!), ...heights.map((height) => hexOf(headers[height]!))].join(" ")]
}

/** What a message about filters says, as a line; none: it is about something else. */
const lineOf = ({ command, payload }: Received): string | undefined => {
  if (command === "cfilter") {
    const decoded = decodeMessage(command, payload)
    if (decoded._tag === "Failure") return "a cfilter that is none"
    const { block, filter } = decoded.success.message
    return `cfilter ${hexOf(block)} ${hexOf(nobleCrypto.sha256d(filter))}`
  }
  if (command === "cfheaders") {
    const decoded = decodeMessage(command, payload)
    if (decoded._tag === "Failure") return "a cfheaders that is none"
    const { filterHashes, previous, stop } = decoded.success.message
    return `cfheaders ${[stop, previous, ...filterHashes].map(hexOf).join(" ")}`
  }
  if (command !== "cfcheckpt") return undefined
  const decoded = decodeMessage(command, payload)
  if (decoded._tag === "Failure") return "a cfcheckpt that is none"
  return `cfcheckpt ${[decoded.success.message.stop, ...decoded.success.message.filterHeaders].map(hexOf).join(" ")}`
}

/** Sends messages, and waits until they are answered or the connection has ended. */
const asked = async (
  { connect }: FuzzedNetwork,
  messages: ReadonlyArray<Message>
): Promise<{ readonly peer: ScriptedPeer; readonly isOver: boolean }> => {
  const peer = connect(100)
  peer.say(usualVersion, { command: "verack" }, ...messages, { command: "ping", nonce: 77n })
  const isOver = (): boolean => peer.is.closed || peer.commands().includes("pong")
  for (const end = Date.now() + LIMIT_MS; !isOver() && Date.now() < end;) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { peer, isOver: isOver() }
}

let known: KnownFilters | undefined

/** Asks once for the hashes of all filters; the filter headers follow from these. */
const knownFilters = async (network: FuzzedNetwork): Promise<KnownFilters> => {
  const { tree } = network.node.chain
  const blocks = Array.from({ length: tree.tip.height + 1 }, (_, height) => activeAt(tree, height)!.hash)
  const request: Message = { command: "getcfheaders", filterType: 0, startHeight: 0, stop: tree.tip.hash }
  const { peer } = await asked(network, [request])
  const hashes = peer.last("cfheaders").filterHashes
  peer.hangUp()
  const headers: Array<Uint8Array> = []
  for (const hash of hashes) headers.push(nobleCrypto.sha256d(concatBytes([hash, headers.at(-1) ?? NO_HEADER])))
  return { blocks, hashes, headers }
}

/** Requests for filters, right and wrong: answered as BIP157 says up to the first wrong one, which ends the connection. */
export const filterServingTarget: Target<ReadonlyArray<FilterRequest>> = {
  name: "filter-serving",
  about: "requests for filters of blocks (BIP157), right and wrong, to a whole network layer",
  regressions: REGRESSIONS,
  prepare: prepareNetwork,
  generate: (random) => Array.from({ length: 1 + random.below(5) }, () => anyRequest(random)),
  judge: async (requests) => {
    const network = await networkOfThisThread()
    const filters = known ??= await knownFilters(network)
    const refused = requests.findIndex((request) => isRefused(filters, request))
    const granted = refused < 0 ? requests : requests.slice(0, refused)
    const { isOver, peer } = await asked(network, requests.map((request) => messageOf(filters, request)))
    const { closed } = peer.is
    const found = peer.received.flatMap((message) => lineOf(message) ?? [])
    peer.hangUp()
    if (!isOver) return "hang: a request for filters is not answered"
    if (closed !== refused >= 0) return closed ? "a good request ends the connection" : "a wrong request is not refused"
    return difference("answers", found, granted.flatMap((request) => answerTo(filters, request)))
  }
}
