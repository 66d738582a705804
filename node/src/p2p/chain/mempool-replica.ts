import type { EngineNotification } from "../../engine/api/engine-calls.ts"
import type { MempoolTransaction } from "../../engine/api/network-calls.ts"

/** A copy of the engine's pool. */
export interface MempoolReplica {
  /** Satoshis for 1,000 virtual bytes that it takes because of its size. */
  rate: number
  readonly byTxid: ReadonlyMap<string, MempoolTransaction>
  readonly byWtxid: ReadonlyMap<string, MempoolTransaction>
  readonly add: (transaction: MempoolTransaction) => void
  /** Answers what was removed. */
  readonly remove: (
    news: Extract<EngineNotification, { readonly _tag: "TransactionRemoved" }>
  ) => MempoolTransaction | undefined
}

/** An id as a key: hex of the wire order. */
export const idKey = (id: Uint8Array): string => Buffer.from(id.buffer, id.byteOffset, id.length).toString("hex")

export const mempoolReplica = (): MempoolReplica => {
  const byTxid = new Map<string, MempoolTransaction>()
  const byWtxid = new Map<string, MempoolTransaction>()
  return {
    rate: 0,
    byTxid,
    byWtxid,
    add: (transaction) => {
      byTxid.set(idKey(transaction.txid), transaction)
      byWtxid.set(idKey(transaction.wtxid), transaction)
    },
    remove: ({ txid }) => {
      const key = idKey(txid)
      const held = byTxid.get(key)
      if (held === undefined) return undefined
      byTxid.delete(key)
      byWtxid.delete(idKey(held.wtxid))
      return held
    }
  }
}
