import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { MempoolView, PooledTransaction } from "../chain/p2p-chain.ts"
import type { Peer } from "../peer/peer.ts"
import { hashKey, keyedHash } from "../basics/hash-key.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

type Ids = Pick<PooledTransaction, "txid" | "wtxid">

/** Returns the id by which a peer wants a transaction announced: wtxid or txid. */
export const nameFor = (peer: Peer, { txid, wtxid }: Ids): Uint8Array => peer.hello?.wtxidRelay === true ? wtxid : txid

/** True if a transaction pays the peer's fee filter, in satoshis per 1,000 virtual bytes. */
export const pays = ({ fee, virtualSize }: PooledTransaction, feerate: bigint): boolean =>
  fee * 1_000n >= feerate * BigInt(virtualSize)

/** Returns the number of transactions to announce at a time. A longer queue gives more, so that it always drains. */
export const portionOf = (waiting: number): number =>
  Math.min(RELAY_LIMITS.trickleAtMost.most, RELAY_LIMITS.trickle.most + Math.floor(waiting / 1_000) * 5)

const byFeerate = (a: PooledTransaction, b: PooledTransaction): number =>
  Number(b.fee) * a.virtualSize - Number(a.fee) * b.virtualSize

/**
 * Returns the wtxids to choose the next announcements from. Forgets transactions that left the mempool or that the peer
 * knows by now. Of a very long queue it returns those with the highest feerates.
 */
export const candidatesOf = ({ known, peer, waiting }: PeerRelay, mempool: MempoolView): ReadonlyArray<Uint8Array> => {
  const present: Array<PooledTransaction> = []
  for (const key of waiting) {
    const transaction = mempool.find("wtxid", keyedHash(key))
    if (transaction === undefined || known.has(nameFor(peer, transaction))) waiting.delete(key)
    else present.push(transaction)
  }
  const { most } = RELAY_LIMITS.candidates
  const best = present.length > most ? present.sort(byFeerate).slice(0, most) : present
  return best.map(({ wtxid }) => wtxid)
}

const send = (to: PeerRelay, transactions: ReadonlyArray<PooledTransaction>): void => {
  const { known, peer } = to
  const type = peer.hello?.wtxidRelay === true ? InventoryType.WTX : InventoryType.TX
  for (let at = 0; at < transactions.length; at += RELAY_LIMITS.inventory.most) {
    const inventory = transactions.slice(at, at + RELAY_LIMITS.inventory.most)
      .map((transaction) => ({ type, hash: nameFor(peer, transaction) }))
    for (const { hash } of inventory) known.add(hash)
    peer.send({ command: "inv", inventory })
  }
}

/**
 * Announces the first of the queued transactions to a peer. `order` lists the candidates, and others, in mining order.
 */
export const trickle = (to: PeerRelay, order: ReadonlyArray<Uint8Array>, mempool: MempoolView): void => {
  const { known, peer, sendAbove, waiting } = to
  const most = portionOf(waiting.size)
  const portion: Array<PooledTransaction> = []
  for (const wtxid of order) {
    if (portion.length >= most) break
    if (!waiting.delete(hashKey(wtxid))) continue
    const transaction = mempool.find("wtxid", wtxid)
    if (transaction === undefined || known.has(nameFor(peer, transaction)) || !pays(transaction, sendAbove)) continue
    portion.push(transaction)
  }
  send(to, portion)
}

/** Announces the whole mempool to a peer that requested it. `txids` are concatenated, in mining order. */
export const announceAll = (to: PeerRelay, txids: Uint8Array, mempool: MempoolView): void => {
  const all: Array<PooledTransaction> = []
  for (let at = 0; at < txids.length; at += 32) {
    const transaction = mempool.find("txid", txids.subarray(at, at + 32))
    if (transaction === undefined) continue
    to.waiting.delete(hashKey(transaction.wtxid))
    if (pays(transaction, to.sendAbove)) all.push(transaction)
  }
  send(to, all)
}

/** Queues a transaction for announcement to a peer that does not have it. `key` is the key of its wtxid. */
export const queueFor = (to: PeerRelay, transaction: Ids, key: string): void => {
  if (!to.known.has(nameFor(to.peer, transaction))) to.waiting.add(key)
}
