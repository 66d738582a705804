import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { ancestorAt } from "@lockstep/kernel/chain"
import { decodeBlock, decodeTransaction, encodeWithoutWitness, headerOf } from "@lockstep/kernel/model"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { compactBlockOf } from "@lockstep/protocol/wire/compact-block/compact-block-of.ts"
import { type InventoryEntry, InventoryType, isTransactionType } from "@lockstep/protocol/wire/inventory.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { activeAt, isActive } from "../../../src/engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { has, type HeaderIndex, isInvalid, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import type { CoreLink } from "./core-link.ts"
import { canDirectFetch, type CoreState, drop, say } from "./core-state.ts"

/** `FindForkInGlobalIndex`. */
const forkOf = (tree: HeaderIndex, locator: ReadonlyArray<Uint8Array>): HeaderIndexNode => {
  for (const hash of locator) {
    const node = nodeOf(tree, hash)
    if (node === undefined) continue
    if (isActive(tree, node)) return node
    if (ancestorAt(node, tree.tip.height) === tree.tip) return tree.tip
  }
  return activeAt(tree, 0)!
}

/** Headers behind the locator, from the best chain alone. */
export const serveHeaders = (core: CoreState, link: CoreLink, { locator }: MessageOf<"getheaders">): void => {
  const { tree } = core.chain
  if (locator.length > 101) return drop(core, link, "getheaders locator size")
  if (locator.length === 0) return void core.oddities.push("getheaders without a locator")
  const from = forkOf(tree, locator).height + 1
  const nodes = Array.from(
    { length: Math.max(0, Math.min(2_000, tree.tip.height + 1 - from)) },
    (_, i) => activeAt(tree, from + i)!
  )
  say(link, { command: "headers", headers: nodes.map(({ header }) => headerOf(header.bytes)) })
  link.bestSent = nodes.at(-1) ?? tree.tip
}

/** `BlockRequestAllowed`: stale ones only when they were valid and are young. */
const isAllowed = ({ chain: { tree } }: CoreState, node: HeaderIndexNode): boolean =>
  isActive(tree, node) || (has(tree, node, HeaderStatus.CONNECTED) && !isInvalid(tree, node) &&
    tree.bestHeader.header.time - node.header.time < 30 * 24 * 3_600)

const serveBlock = Effect.fnUntraced(function*(core: CoreState, link: CoreLink, { hash, type }: InventoryEntry) {
  const { tree } = core.chain
  const node = nodeOf(tree, hash)
  if (node === undefined || !isAllowed(core, node)) {
    return void core.oddities.push("a block was asked for that is not served")
  }
  const isPruned = !offers(core.traits.services, ServiceFlag.NETWORK)
  if (isPruned && tree.tip.height - node.height > 290) {
    return drop(core, link, "block request below NODE_NETWORK_LIMITED threshold")
  }
  const bytes = yield* core.chain.blockBytes(node)
  if (bytes === undefined) return void core.oddities.push("a block was asked for that is not here")
  const whole = { command: "block", header: headerOf(bytes.slice(0, 80)), bytes } as const
  if (type === InventoryType.WITNESS_BLOCK) return say(link, whole)
  const decoded = Result.getOrThrow(decodeBlock(bytes))
  if (type === InventoryType.COMPACT_BLOCK) {
    const isNew = canDirectFetch(core) && node.height >= tree.tip.height - 5
    return say(link, isNew ? compactBlockOf(decoded, 7n, testCrypto) : whole)
  }
  core.oddities.push("a block was asked for without its witnesses")
  const plain = concatBytes([
    whole.header.bytes,
    encodeCompactSize(decoded.transactions.length),
    ...decoded.transactions.map(encodeWithoutWitness)
  ])
  say(link, { ...whole, bytes: plain })
})

const serveTransaction = Effect.fnUntraced(function*(
  { chain }: CoreState,
  link: CoreLink,
  { hash, type }: InventoryEntry
) {
  const found = yield* chain.mempoolTransaction(type === InventoryType.WTX ? "wtxid" : "txid", hash.slice())
  if (found === undefined) return false
  const decoded = Result.getOrThrow(decodeTransaction(found.bytes))
  const plain = type === InventoryType.TX
    ? Result.getOrThrow(decodeTransaction(encodeWithoutWitness(decoded)))
    : decoded
  say(link, { command: "tx", transaction: plain })
  return true
})

/** Transactions of a block that the link puts together, at most ten deep. */
export const serveBlockTransactions = Effect.fnUntraced(
  function*(core: CoreState, link: CoreLink, { block, indexes }: MessageOf<"getblocktxn">) {
    const node = nodeOf(core.chain.tree, block)
    const bytes = node && (yield* core.chain.blockBytes(node))
    if (bytes === undefined) return void core.oddities.push("transactions of a block that it does not have")
    const { transactions } = Result.getOrThrow(decodeBlock(bytes))
    const wanted = indexes.map((index) => transactions[index])
    if (wanted.includes(undefined)) return drop(core, link, "getblocktxn with out-of-bounds tx indices")
    say(link, { command: "blocktxn", block, transactions: wanted.map((transaction) => transaction!) })
  }
)

export const serveData = Effect.fnUntraced(
  function*(core: CoreState, link: CoreLink, { inventory }: MessageOf<"getdata">) {
    if (inventory.length > 50_000) return drop(core, link, "getdata message size")
    const missing: Array<InventoryEntry> = []
    for (const entry of inventory) {
      if (!isTransactionType(entry.type)) yield* core.traits.givesNoBlocks ? Effect.void : serveBlock(core, link, entry)
      else if (link.hello?.relay === 1 && !(yield* serveTransaction(core, link, entry))) missing.push(entry)
    }
    if (missing.length > 0) say(link, { command: "notfound", inventory: missing })
  }
)
