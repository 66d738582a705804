import { type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { type InventoryEntry, InventoryType, isTransactionType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import type { PooledTransaction } from "../../../src/p2p/chain/p2p-chain.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { takeNamedBlocks } from "./core-headers.ts"
import type { CoreLink } from "./core-link.ts"
import { type CoreState, drop, hex, isInitialDownload, isPreferred, say } from "./core-state.ts"
import { refusesTransactions } from "./core-session.ts"

const INBOUND_MS = 5_000
const OUTBOUND_MS = 2_000
const NOT_PREFERRED_MS = 2_000
const TXID_MS = 2_000
const TARGET = 70
const MONEY_ROUNDED = 9_936_506n

const bytesOf = (key: string): Uint8Array => new Uint8Array(Buffer.from(key, "hex"))

const hasIt = ({ chain, orphans, rejects }: CoreState, key: string, isWtxid: boolean): boolean =>
  chain.mempool.has(isWtxid ? "wtxid" : "txid", bytesOf(key)) || rejects.has(key) || (isWtxid && orphans.has(key))

/** `AddTxAnnouncement`: asked after its delays. */
const offer = (core: CoreState, link: CoreLink, hash: Uint8Array, isWtxid: boolean): void => {
  const key = hex(hash)
  if (hasIt(core, key, isWtxid) || link.offered.has(key)) return
  const witnessPeers = [...core.links].some(({ wtxidRelay }) => wtxidRelay)
  const delay = (isPreferred(link) ? 0 : NOT_PREFERRED_MS) + (!isWtxid && witnessPeers ? TXID_MS : 0)
  link.offered.set(key, { at: core.environment.now() + delay, isWtxid, isAsked: false })
}

export const takeInventory = (core: CoreState, link: CoreLink, { inventory }: MessageOf<"inv">): void => {
  if (inventory.length > 50_000) return drop(core, link, "inv message size")
  for (const { hash, type } of inventory) {
    if (type === InventoryType.BLOCK || !isTransactionType(type)) continue
    if (type === (link.wtxidRelay ? InventoryType.TX : InventoryType.WTX)) {
      core.oddities.push("a transaction by the other kind of id")
      continue
    }
    if (refusesTransactions(core, link)) return drop(core, link, "transaction inv sent in violation of protocol")
    link.known.add(hex(hash))
    if (!isInitialDownload(core)) offer(core, link, hash, type === InventoryType.WTX)
  }
  takeNamedBlocks(core, link, inventory.filter(({ type }) => type === InventoryType.BLOCK).map(({ hash }) => hash))
}

/** What is due is asked for, each of one link at a time. */
export const requestTransactions = (core: CoreState, link: CoreLink): void => {
  const now = core.environment.now()
  const inventory: Array<InventoryEntry> = []
  for (const [key, wanted] of link.offered) {
    const isAskedElsewhere = [...core.links].some((other) => other !== link && other.offered.get(key)?.isAsked === true)
    if (wanted.isAsked || wanted.at > now || isAskedElsewhere) continue
    if (hasIt(core, key, wanted.isWtxid)) {
      link.offered.delete(key)
      continue
    }
    wanted.isAsked = true
    inventory.push({
      type: wanted.isWtxid ? InventoryType.WTX : InventoryType.WITNESS_TX,
      hash: bytesOf(key)
    })
  }
  if (inventory.length > 0) say(link, { command: "getdata", inventory })
}

const settle = (core: CoreState, ...keys: ReadonlyArray<string>): void => {
  for (const { offered } of core.links) for (const key of keys) offered.delete(key)
}

/** Judges what came, and then what waited for it. */
const judge: (core: CoreState, link: CoreLink, bytes: Uint8Array, txid: string, wtxid: string) => Effect.Effect<void> =
  Effect.fnUntraced(
    function*(core, link, bytes, txid, wtxid) {
      const answer = yield* core.chain.acceptTransaction(bytes.slice())
      settle(core, txid, wtxid)
      if (answer?._tag === "Rejected") {
        if (answer.rejection.what !== "missing inputs") core.rejects.add(wtxid)
        else {
          core.orphans.set(wtxid, { bytes, parents: answer.missing.map(hex), link })
          for (const parent of answer.missing) offer(core, link, parent, false)
          return
        }
      }
      core.orphans.delete(wtxid)
      if (answer?._tag !== "Accepted") return
      for (const [key, orphan] of core.orphans) {
        if (orphan.parents.includes(txid)) yield* judge(core, orphan.link, orphan.bytes, "", key)
      }
    }
  )

export const takeTransaction = Effect.fnUntraced(function*(core: CoreState, link: CoreLink, transaction: Transaction) {
  if (refusesTransactions(core, link)) return drop(core, link, "transaction sent in violation of protocol")
  if (isInitialDownload(core)) return
  const [txid, wtxid] = [
    hex(transactionId(transaction, testCrypto)),
    hex(witnessTransactionId(transaction, testCrypto))
  ]
  const isAsked = link.offered.get(txid)?.isAsked === true || link.offered.get(wtxid)?.isAsked === true
  if (!isAsked) core.oddities.push("a transaction that it was not asked for")
  link.known.add(link.wtxidRelay ? wtxid : txid)
  yield* judge(core, link, new Uint8Array(transaction.bytes), txid, wtxid)
})

export const takeNotFound = ({ oddities }: CoreState, link: CoreLink, { inventory }: MessageOf<"notfound">): void => {
  oddities.push("something that it was asked for and had announced was not found")
  for (const { hash } of inventory) link.offered.delete(hex(hash))
}

/** A transaction came into the pool: all are to be reported. */
export const poolHas = (core: CoreState, { txid, wtxid }: PooledTransaction): void => {
  for (const link of core.links) {
    if (!link.isReady || link.nextTrickle === 0) continue
    const key = hex(link.wtxidRelay ? wtxid : txid)
    if (!link.known.has(key)) link.waiting.add(key)
  }
}

/** Announcements of transactions in `SendMessages`. */
export const trickle = (core: CoreState, link: CoreLink): void => {
  const { chain, environment: { random, now } } = core
  if (link.hello?.relay !== 1 || link.kind === "block-relay-only" || now() < link.nextTrickle) return
  if (core.nextInboundTrickle <= now()) core.nextInboundTrickle = now() + random.exponential(INBOUND_MS)
  link.nextTrickle = link.kind === "inbound" ? core.nextInboundTrickle : now() + random.exponential(OUTBOUND_MS)
  const kind = link.wtxidRelay ? "wtxid" : "txid"
  // They are in order of arrival, so parents come first.
  const next = [...link.waiting].flatMap((key) => {
    const found = chain.mempool.find(kind, bytesOf(key))
    if (found === undefined || link.known.has(key)) return []
    return found.fee * 1_000n >= link.feeFilter * BigInt(found.virtualSize) ? [found] : []
  }).slice(0, TARGET)
  link.waiting.clear()
  if (next.length === 0) return
  for (const each of next) link.known.add(hex(each[kind]))
  const type = link.wtxidRelay ? InventoryType.WTX : InventoryType.TX
  say(link, {
    command: "inv",
    inventory: next.map((each) => ({ type, hash: each[kind] }))
  })
}

/** `MaybeSendFeefilter`. */
export const keepFeeFilter = (core: CoreState, link: CoreLink): void => {
  if (core.traits.isBlocksOnly || link.kind === "block-relay-only") return
  const feerate = isInitialDownload(core) ? MONEY_ROUNDED : core.traits.leastFeerate
  if (feerate === link.saidFeeFilter) return
  link.saidFeeFilter = feerate
  say(link, { command: "feefilter", feerate })
}
