import { blockWork } from "@lockstep/kernel/work"
import { blockHash, decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import {
  completed,
  missingIndexes,
  offerTransaction,
  type Reconstruction,
  reconstruction
} from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { has, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { maybeAskForHeaders, noteHas, punishFor, takeHeaders } from "./core-headers.ts"
import type { CoreLink } from "./core-link.ts"
import {
  askedOf,
  awaitedKeys,
  type CoreState,
  hex,
  isInitialDownload,
  noLongerAwaited,
  nowAwaited,
  maybePunishPeer,
  say
} from "./core-state.ts"

/** Gives a block to the engine; what becomes of it is reported by `blockChecked`. */
const process = Effect.fnUntraced(
  function*(core: CoreState, link: CoreLink, bytes: Uint8Array, isRequested: boolean, isCompact: boolean) {
    const key = hex(testCrypto.sha256d(bytes.subarray(0, 80)))
    if (!core.sources.has(key)) core.sources.set(key, { link, isCompact })
    const { isNew, rejection } = yield* core.chain.acceptBlock(bytes, isRequested)
    if (isNew) noLongerAwaited(core, key)
    else core.sources.delete(key)
    if (rejection !== undefined) punishFor(core, link, rejection, isCompact)
  }
)

/** A whole block. */
export const takeBlock = Effect.fnUntraced(
  function*(core: CoreState, link: CoreLink, { bytes, header }: MessageOf<"block">) {
    const key = hex(blockHash(header, testCrypto))
    const isRequested = askedOf(core, key).length > 0
    if (!link.inFlight.has(key)) core.oddities.push("a block that it was not asked for")
    noLongerAwaited(core, key, link)
    yield* process(core, link, bytes.slice(), isRequested, false)
  }
)

/** Asks a link to announce by compact blocks: it brought a new block while nothing else was awaited. */
const preferCompact = (core: CoreState, link: CoreLink): void => {
  if (core.traits.isBlocksOnly || !link.providesCompact || core.compactFirst.includes(link)) return
  if (core.compactFirst.length >= 3) {
    say(core.compactFirst.shift()!, { command: "sendcmpct", announce: false, version: 2n })
  }
  say(link, { command: "sendcmpct", announce: true, version: 2n })
  core.compactFirst.push(link)
}

/** `BlockChecked`. */
export const blockChecked = (core: CoreState, node: HeaderIndexNode, rejection: Rejection | undefined): void => {
  const key = hex(node.hash)
  const source = core.sources.get(key)
  core.sources.delete(key)
  if (source === undefined) return
  const awaited = awaitedKeys(core)
  if (rejection !== undefined) punishFor(core, source.link, rejection, source.isCompact)
  else if (!isInitialDownload(core) && (awaited.size === 0 || (awaited.size === 1 && awaited.has(key)))) {
    preferCompact(core, source.link)
  }
}

const askWhole = (link: CoreLink, hash: Uint8Array): void =>
  say(link, { command: "getdata", inventory: [{ type: InventoryType.WITNESS_BLOCK, hash }] })

/** What the pool has of a block is put in its place. */
const fillFromPool = Effect.fnUntraced(function*({ chain }: CoreState, block: Reconstruction) {
  const txids = (yield* chain.mempoolIds) ?? new Uint8Array(0)
  for (let at = 0; at < txids.length; at += 32) {
    const found = yield* chain.mempoolTransaction("txid", txids.slice(at, at + 32))
    if (found === undefined) continue
    const decoded = decodeTransaction(found.bytes)
    if (Result.isSuccess(decoded)) offerTransaction(block, found.wtxid, () => decoded.success.bytes)
  }
})

const complete = Effect.fnUntraced(
  function*(core: CoreState, link: CoreLink, node: HeaderIndexNode, given: ReadonlyArray<Transaction>) {
    const key = hex(node.hash)
    const block = link.inFlight.get(key)?.compact
    if (block === undefined) return void core.oddities.push("transactions of a block that are not expected")
    const bytes = completed(block, given.map(({ bytes: each }) => each))
    noLongerAwaited(core, key, link)
    if (Result.isFailure(bytes)) {
      return maybePunishPeer(core, link, "invalid compact block/non-matching block transactions")
    }
    yield* process(core, link, bytes.success, true, true)
  }
)

export const takeBlockTransactions = (
  core: CoreState,
  link: CoreLink,
  message: MessageOf<"blocktxn">
): Effect.Effect<void> => {
  const node = nodeOf(core.chain.tree, message.block)
  if (node !== undefined) return complete(core, link, node, message.transactions)
  return Effect.sync(() => void core.oddities.push("transactions of an unknown block"))
}

/** Links that a block is put together with at a time. */
const MOST_PARALLEL = 3

/** Takes the header of a compact block in; yields its place in the tree, where it has one. */
const takeItsHeader = Effect.fnUntraced(
  function*(core: CoreState, link: CoreLink, { header }: MessageOf<"cmpctblock">) {
    const { tree } = core.chain
    const previous = nodeOf(tree, header.previous)
    if (previous === undefined) {
      if (!isInitialDownload(core)) maybeAskForHeaders(core, link, tree.bestHeader)
      return undefined
    }
    if (previous.chainWork + blockWork(header.bits) < tree.tip.chainWork - 144n * blockWork(tree.tip.header.bits)) {
      return undefined
    }
    const { rejection } = yield* core.chain.acceptHeaders(header.bytes.slice())
    if (rejection !== undefined) {
      punishFor(core, link, rejection, true)
      return undefined
    }
    const hash = blockHash(header, testCrypto)
    noteHas(core, link, hash)
    return nodeOf(tree, hash)
  }
)

/** A compact block that this link was asked for, or sends because it was chosen; any other one is odd. */
export const takeCompactBlock = Effect.fnUntraced(
  function*(core: CoreState, link: CoreLink, message: MessageOf<"cmpctblock">) {
    const { tree } = core.chain
    const node = yield* takeItsHeader(core, link, message)
    if (node === undefined || has(tree, node, HeaderStatus.STORED)) return
    const hash = node.hash.slice()
    const key = hex(hash)
    if (!link.inFlight.has(key)) {
      if (!core.compactFirst.includes(link)) {
        core.oddities.push("a compact block that it was not asked for")
        return
      }
      if (node.chainWork <= tree.tip.chainWork || askedOf(core, key).length >= MOST_PARALLEL) return
      if (node.height > tree.tip.height + 2) return yield* takeHeaders(core, link, { headers: [message.header] }, true)
      nowAwaited(core, link, node)
    }
    if (node.chainWork <= tree.tip.chainWork || node.height > tree.tip.height + 2) return askWhole(link, hash)
    const block = reconstruction(message, testCrypto)
    if (Result.isFailure(block)) return maybePunishPeer(core, link, "invalid compact block")
    yield* fillFromPool(core, block.success)
    link.inFlight.get(key)!.compact = block.success
    const indexes = missingIndexes(block.success)
    if (indexes.length === 0) return yield* complete(core, link, node, [])
    say(link, { command: "getblocktxn", block: hash, indexes })
  }
)
