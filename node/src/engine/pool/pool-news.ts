import { nodeEvent } from "../../events/node-event.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { displayHash } from "../display-hash.ts"
import { MIN_RELAY_RATE } from "./pool-limits.ts"
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

/** The pool takes another rate because of its size: satoshis for 1,000 virtual bytes. */
export const tellRate = ({ feed, tell }: ChainEngine, before: number, rate: number): void => {
  if (feed.isFollowed()) tell({ _tag: "PoolRate", rate })
  const [old, now] = [before, rate].map((each) => Math.max(MIN_RELAY_RATE, each) / 1_000)
  if (old !== now) tell({ _tag: "Event", event: nodeEvent("FeeRateChanged", { old_fee_rate: old!, new_fee_rate: now! }) })
}

/** A transaction left the pool. */
export const tellRemoved = ({ feed, tell }: ChainEngine, { txid }: PoolEntry, reason: string): void => {
  if (feed.isFollowed()) tell({ _tag: "TransactionRemoved", txid, reason })
  tell({ _tag: "Event", event: nodeEvent("MempoolTransactionRemoved", { txid: displayHash(txid), reason }) })
}
