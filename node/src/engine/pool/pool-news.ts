import { nodeEvent } from "../../events/node-event.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { displayHash } from "../display-hash.ts"
import type { PoolEntry } from "./pool-entries.ts"

/** A transaction came into the pool. */
export const tellAdded = ({ feed, tell }: ChainEngine, { bytes, fee, txid, virtualSize, wtxid }: PoolEntry): void => {
  if (feed.isFollowed()) tell({ _tag: "TransactionAdded", transaction: { txid, wtxid, bytes, fee, virtualSize } })
  const event = nodeEvent("MempoolTransactionAdded", {
    txid: displayHash(txid),
    wtxid: displayHash(wtxid),
    fee: Number(fee),
    vsize: virtualSize,
    fee_rate: Number(fee) / virtualSize
  })
  tell({ _tag: "Event", event })
}

/** A transaction left the pool. */
export const tellRemoved = ({ feed, tell }: ChainEngine, { txid }: PoolEntry, reason: string): void => {
  if (feed.isFollowed()) tell({ _tag: "TransactionRemoved", txid, reason })
  tell({ _tag: "Event", event: nodeEvent("MempoolTransactionRemoved", { txid: displayHash(txid), reason }) })
}
