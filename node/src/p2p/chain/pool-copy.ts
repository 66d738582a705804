import type { EngineNews } from "../../engine/calls/engine-calls.ts"
import type { PoolTransaction } from "../../engine/calls/network-calls.ts"

/** A copy of the engine's pool. */
export interface PoolCopy {
  /** Satoshis for 1,000 virtual bytes that it takes because of its size. */
  rate: number
  readonly byTxid: ReadonlyMap<string, PoolTransaction>
  readonly byWtxid: ReadonlyMap<string, PoolTransaction>
  readonly add: (transaction: PoolTransaction) => void
  /** Answers what was removed. */
  readonly remove: (news: Extract<EngineNews, { readonly _tag: "TransactionRemoved" }>) => PoolTransaction | undefined
}

/** An id as a key: hex of the wire order. */
export const idKey = (id: Uint8Array): string => Buffer.from(id.buffer, id.byteOffset, id.length).toString("hex")

export const poolCopy = (): PoolCopy => {
  const byTxid = new Map<string, PoolTransaction>()
  const byWtxid = new Map<string, PoolTransaction>()
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
