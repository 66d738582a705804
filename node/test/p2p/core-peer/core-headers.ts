import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import { ancestorAt } from "@lockstep/kernel/chain"
import { blockHash } from "@lockstep/kernel/model"
import { blockWork, proofOfWork } from "@lockstep/kernel/work"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isActive } from "../../../src/engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { has, isInvalid, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import type { CoreLink } from "./core-link.ts"
import {
  askedOf,
  awaitedKeys,
  canDirectFetch,
  type CoreState,
  hex,
  isPreferred,
  isRecent,
  nowAwaited,
  maybePunishPeer,
  say,
  servesBlocks,
  servesWitnesses
} from "./core-state.ts"

const RESPONSE_MS = 2 * 60_000
const MOST_HEADERS = 2_000
export const MOST_IN_FLIGHT = 16

/** The locator of Bitcoin Core: ten single steps, then doubling ones. */
const locatorOf = (from: HeaderIndexNode): ReadonlyArray<Uint8Array> => {
  const hashes: Array<Uint8Array> = []
  let step = 1
  for (let height = from.height;;) {
    hashes.push((ancestorAt(from, height) as HeaderIndexNode).hash)
    if (height === 0) return hashes
    height = Math.max(0, height - step)
    if (hashes.length > 10) step *= 2
  }
}

/** `MaybeSendGetHeaders`. */
export const maybeAskForHeaders = (core: CoreState, link: CoreLink, from: HeaderIndexNode): boolean => {
  const now = core.environment.now()
  if (link.askedForHeaders !== 0 && now - link.askedForHeaders <= RESPONSE_MS) return false
  link.askedForHeaders = now
  say(link, { command: "getheaders", version: 70_016, locator: locatorOf(from), stop: new Uint8Array(32) })
  return true
}

/** `ProcessBlockAvailability` and `UpdateBlockAvailability`. */
export const resolveUnknown = ({ chain: { tree } }: CoreState, link: CoreLink): void => {
  const node = link.unknown === undefined ? undefined : nodeOf(tree, link.unknown)
  if (node === undefined) return
  if (link.best === undefined || node.chainWork >= link.best.chainWork) link.best = node
  link.unknown = undefined
}

export const noteHas = (core: CoreState, link: CoreLink, hash: Uint8Array): void => {
  resolveUnknown(core, link)
  link.unknown = hash
  resolveUnknown(core, link)
}

/** `MaybePunishNodeForBlock`. */
export const punishFor = (
  core: CoreState,
  link: CoreLink,
  { class: rejectionClass, reason }: Rejection,
  isCompact: boolean
): void => {
  if (rejectionClass === "too far in the future") return
  if ((rejectionClass === "invalid" || rejectionClass === "mutated") && isCompact) return
  if (rejectionClass === "known invalid" && (isCompact || link.kind === "inbound")) return
  maybePunishPeer(core, link, reason)
}

const workThreshold = ({ chain: { tree: { tip } } }: CoreState): bigint => {
  const margin = 144n * blockWork(tip.header.bits)
  return tip.chainWork - (margin < tip.chainWork ? margin : tip.chainWork)
}

/** `sync_blocks_and_headers_from_peer`. */
export const maySyncFrom = (core: CoreState, link: CoreLink): boolean =>
  isPreferred(link) || (servesBlocks(link) && (![...core.links].some(isPreferred) || awaitedKeys(core).size === 0))

/** Begins to fetch headers. */
export const startHeaders = (core: CoreState, link: CoreLink): void => {
  if (link.syncStarted || !servesBlocks(link)) return
  const { bestHeader } = core.chain.tree
  const isFirst = ![...core.links].some(({ syncStarted }) => syncStarted)
  if (!(isFirst && maySyncFrom(core, link)) && !isRecent(core, bestHeader)) return
  link.syncStarted = maybeAskForHeaders(core, link, bestHeader.parent ?? bestHeader)
}

/** The blocks that lead to `last`, oldest first; none: it is too far from the best chain. */
const blocksTo = (core: CoreState, link: CoreLink, last: HeaderIndexNode): ReadonlyArray<HeaderIndexNode> => {
  const { tree } = core.chain
  const wanted: Array<HeaderIndexNode> = []
  let walk = last
  for (; !isActive(tree, walk) && wanted.length <= MOST_IN_FLIGHT; walk = walk.parent!) {
    if (!has(tree, walk, HeaderStatus.STORED) && askedOf(core, hex(walk.hash)).length === 0 && servesWitnesses(link)) {
      wanted.push(walk)
    }
  }
  return isActive(tree, walk) ? wanted.reverse() : []
}

/** `HeadersDirectFetchBlocks`. */
const directFetch = (core: CoreState, link: CoreLink, last: HeaderIndexNode): void => {
  const { tree } = core.chain
  if (!canDirectFetch(core) || isInvalid(tree, last) || tree.tip.chainWork > last.chainWork) return
  const nodes = blocksTo(core, link, last).slice(0, Math.max(0, MOST_IN_FLIGHT - link.inFlight.size))
  const inventory: Array<InventoryEntry> = nodes.map(({ hash }) => ({ type: InventoryType.WITNESS_BLOCK, hash }))
  for (const node of nodes) nowAwaited(core, link, node)
  if (inventory.length === 0) return
  const isCompact = !core.traits.isBlocksOnly && link.providesCompact && inventory.length === 1 &&
    awaitedKeys(core).size === 1 && has(tree, last.parent!, HeaderStatus.CONNECTED)
  if (isCompact) inventory[0] = { type: InventoryType.COMPACT_BLOCK, hash: inventory[0]!.hash }
  say(link, { command: "getdata", inventory })
}

/** `ProcessHeadersMessage`. The chains of these tests are too short for a first pass over headers of little work. */
export const takeHeaders = Effect.fnUntraced(
  function*(core: CoreState, link: CoreLink, { headers }: Pick<MessageOf<"headers">, "headers">, isCompact = false) {
    const { tree } = core.chain
    if (headers.length === 0) {
      link.askedForHeaders = 0
      return
    }
    if (headers.length > MOST_HEADERS) return maybePunishPeer(core, link, "headers message size")
    const hashes = headers.map((header) => blockHash(header, testCrypto))
    for (const [i, header] of headers.entries()) {
      if (Result.isFailure(proofOfWork(hashes[i]!, header.bits, REGTEST.parameters.work.powLimit))) {
        return maybePunishPeer(core, link, "header with invalid proof of work")
      }
      if (i > 0 && !bytesEqual(header.previous, hashes[i - 1]!)) {
        return maybePunishPeer(core, link, "non-continuous headers sequence")
      }
    }
    const start = nodeOf(tree, headers[0]!.previous)
    const lastHash = hashes.at(-1)!
    if (start === undefined) {
      core.oddities.push("headers that do not connect")
      maybeAskForHeaders(core, link, tree.bestHeader)
      return noteHas(core, link, lastHash)
    }
    link.askedForHeaders = 0
    const known = nodeOf(tree, lastHash)
    const isKnown = known !== undefined &&
      (isActive(tree, known) || ancestorAt(tree.bestHeader, known.height) === known)
    const work = headers.reduce((sum, { bits }) => sum + blockWork(bits), start.chainWork)
    if (!isKnown && work < workThreshold(core)) return void core.oddities.push("headers of a chain of little work")
    const { rejection } = yield* core.chain.acceptHeaders(concatBytes(headers.map(({ bytes }) => bytes)))
    if (rejection !== undefined) return punishFor(core, link, rejection, isCompact)
    const last = nodeOf(tree, lastHash)!
    if (headers.length === MOST_HEADERS) maybeAskForHeaders(core, link, last)
    noteHas(core, link, lastHash)
    directFetch(core, link, last)
  }
)

/** Blocks by name: a request for headers for the last that is not known. */
export const takeNamedBlocks = (core: CoreState, link: CoreLink, hashes: ReadonlyArray<Uint8Array>): void => {
  let unknown: Uint8Array | undefined
  for (const hash of hashes) {
    noteHas(core, link, hash)
    if (nodeOf(core.chain.tree, hash) === undefined) unknown = hash
  }
  if (unknown === undefined) return
  const key = hex(unknown)
  if (!link.syncStarted && (link.invMadeUsAsk || core.lastInvBlock === key)) return
  maybeAskForHeaders(core, link, core.chain.tree.bestHeader)
  if (link.syncStarted) return
  link.invMadeUsAsk = true
  core.lastInvBlock = key
}
