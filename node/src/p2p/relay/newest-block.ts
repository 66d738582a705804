import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { MempoolTransaction } from "../chain/p2p-chain.ts"
import { hashKey } from "../sync/hash-key.ts"

/**
 * Transactions that the newest block removed from the mempool. They are served until the next tip. A peer that has the
 * block may know of them from it, and a peer that the block was not announced to yet may still request them.
 */
export interface NewestBlock {
  /** A block removed a transaction from the mempool. It is the next tip. */
  readonly took: (transaction: MempoolTransaction) => void
  readonly tipChanged: () => void
  readonly find: (entry: InventoryEntry) => MempoolTransaction | undefined
}

interface ByIds {
  readonly byTxid: Map<string, MempoolTransaction>
  readonly byWtxid: Map<string, MempoolTransaction>
}

const none = (): ByIds => ({ byTxid: new Map(), byWtxid: new Map() })

export const newestBlock = (): NewestBlock => {
  let newest = none()
  /** Of the block that is connected, but not yet notified as the tip. */
  let next = none()
  return {
    took: (transaction) => {
      next.byTxid.set(hashKey(transaction.txid), transaction)
      next.byWtxid.set(hashKey(transaction.wtxid), transaction)
    },
    tipChanged: () => {
      newest = next
      next = none()
    },
    find: ({ hash, type }) => (type === InventoryType.WTX ? newest.byWtxid : newest.byTxid).get(hashKey(hash))
  }
}
