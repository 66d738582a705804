import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { MempoolTransaction } from "../chain/p2p-chain.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { hashKey } from "../sync/hash-key.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/** The id by which a peer wants a transaction announced: wtxid or txid. */
export const nameFor = (peer: Peer, { txid, wtxid }: MempoolTransaction): Uint8Array =>
  peer.hello?.wtxidRelay === true ? wtxid : txid

/** Whether a transaction pays the peer's fee filter. */
const pays = ({ fee, virtualSize }: MempoolTransaction, feerate: bigint): boolean =>
  fee * 1_000n >= feerate * BigInt(virtualSize)

/** How many to announce at a time: more when the queue is longer, so that it always drains. */
const portionOf = (waiting: number): number =>
  Math.min(RELAY_LIMITS.trickleAtMost.most, RELAY_LIMITS.trickle.most + Math.floor(waiting / 1_000) * 5)

/** The next transactions for a peer, in the order in which they came: parents before children. */
const nextPortion = (
  { known, peer, sendAbove, waiting }: PeerRelay,
  context: P2pContext
): ReadonlyArray<MempoolTransaction> => {
  const most = portionOf(waiting.size)
  const portion: Array<MempoolTransaction> = []
  for (const [key, transaction] of waiting) {
    if (portion.length >= most) break
    waiting.delete(key)
    if (!context.chain.poolByTxid.has(key)) continue
    if (known.has(nameFor(peer, transaction)) || !pays(transaction, sendAbove)) continue
    portion.push(transaction)
  }
  return portion
}

/** Announces some of the queued transactions to a peer. */
export const trickle = (to: PeerRelay, context: P2pContext): void => {
  const portion = nextPortion(to, context)
  if (portion.length === 0) return
  const { known, peer } = to
  const type = peer.hello?.wtxidRelay === true ? InventoryType.WTX : InventoryType.TX
  const inventory = portion.map((transaction) => ({ type, hash: nameFor(peer, transaction) }))
  for (const { hash } of inventory) known.add(hash)
  peer.send({ command: "inv", inventory })
}

/** Queues a transaction for announcement to a peer that does not have it. */
export const queueFor = (to: PeerRelay, transaction: MempoolTransaction): void => {
  if (!to.known.has(nameFor(to.peer, transaction))) to.waiting.set(hashKey(transaction.txid), transaction)
}
