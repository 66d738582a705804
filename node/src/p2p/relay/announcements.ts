import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { PoolTransaction } from "../chain/p2p-chain.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { hashKey } from "../sync/hash-key.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/** What a peer calls a transaction. */
export const nameFor = (peer: Peer, { txid, wtxid }: PoolTransaction): Uint8Array =>
  peer.hello?.wtxidRelay === true ? wtxid : txid

/** Whether a transaction pays what the peer asks for. */
const pays = ({ fee, virtualSize }: PoolTransaction, feerate: bigint): boolean => fee * 1_000n >= feerate * BigInt(virtualSize)

/** How many are told at a time: more when more wait, so that a queue always drains. */
const portionOf = (waiting: number): number =>
  Math.min(RELAY_LIMITS.trickleAtMost.most, RELAY_LIMITS.trickle.most + Math.floor(waiting / 1_000) * 5)

/** The next transactions for a peer, in the order in which they came: parents before children. */
const nextPortion = ({ known, peer, sendAbove, waiting }: PeerRelay, context: P2pContext): ReadonlyArray<PoolTransaction> => {
  const most = portionOf(waiting.size)
  const portion: Array<PoolTransaction> = []
  for (const [key, transaction] of waiting) {
    if (portion.length >= most) break
    waiting.delete(key)
    if (!context.chain.poolByTxid.has(key)) continue
    if (known.has(nameFor(peer, transaction)) || !pays(transaction, sendAbove)) continue
    portion.push(transaction)
  }
  return portion
}

/** Tells a peer of some of the transactions that wait for it. */
export const trickle = (to: PeerRelay, context: P2pContext): void => {
  const portion = nextPortion(to, context)
  if (portion.length === 0) return
  const { known, peer } = to
  const type = peer.hello?.wtxidRelay === true ? InventoryType.WTX : InventoryType.TX
  const inventory = portion.map((transaction) => ({ type, hash: nameFor(peer, transaction) }))
  for (const { hash } of inventory) known.add(hash)
  peer.send({ command: "inv", inventory })
}

/** Remembers to tell a peer of a transaction that it does not have. */
export const queueFor = (to: PeerRelay, transaction: PoolTransaction): void => {
  if (!to.known.has(nameFor(to.peer, transaction))) to.waiting.set(hashKey(transaction.txid), transaction)
}
