import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { PoolTransaction } from "../chain/p2p-chain.ts"
import { hashKey } from "../sync/hash-key.ts"

/**
 * Transactions that the newest block took out of the pool. They are served until there is another tip: who has heard of the
 * block may know of them from it, and who has not been told of them yet may still ask.
 */
export interface NewestBlock {
  /** A block took a transaction out of the pool. It is the next tip. */
  readonly took: (transaction: PoolTransaction) => void
  readonly tipChanged: () => void
  readonly find: (entry: InventoryEntry) => PoolTransaction | undefined
}

interface ByIds {
  readonly byTxid: Map<string, PoolTransaction>
  readonly byWtxid: Map<string, PoolTransaction>
}

const none = (): ByIds => ({ byTxid: new Map(), byWtxid: new Map() })

export const newestBlock = (): NewestBlock => {
  let newest = none()
  /** Of the block that is connected, but not yet told of as the tip. */
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
