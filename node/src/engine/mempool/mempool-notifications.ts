import { nodeEvent } from "../../events/node-event.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { displayHash } from "../../hex.ts"
import { MIN_RELAY_RATE } from "./mempool-limits.ts"
import type { MempoolEntry } from "./mempool-entries.ts"

/** A transaction entered the mempool. */
export const notifyAdded = (
  { feed, tell }: ChainEngine,
  { bytes, fee, txid, virtualSize, wtxid }: MempoolEntry
): void => {
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

/** A new transaction is accepted, and stays. */
export const notifyNew = ({ tell }: ChainEngine, { txid, wtxid }: MempoolEntry): void =>
  tell({ _tag: "Event", event: nodeEvent("NewTransaction", { txid: displayHash(txid), wtxid: displayHash(wtxid) }) })

/** The lowest rate of the mempool changed because of its size: satoshis for 1,000 virtual bytes. */
export const notifyMinimumFee = ({ feed, tell }: ChainEngine, before: number, rate: number): void => {
  if (feed.isFollowed()) tell({ _tag: "PoolRate", rate })
  const [old, now] = [before, rate].map((each) => Math.max(MIN_RELAY_RATE, each) / 1_000)
  if (old !== now) {
    tell({ _tag: "Event", event: nodeEvent("FeeRateChanged", { old_fee_rate: old!, new_fee_rate: now! }) })
  }
}

/** A transaction left the mempool. */
export const notifyRemoved = ({ feed, tell }: ChainEngine, { txid }: MempoolEntry, reason: string): void => {
  if (feed.isFollowed()) tell({ _tag: "TransactionRemoved", txid, reason })
  tell({ _tag: "Event", event: nodeEvent("MempoolTransactionRemoved", { txid: displayHash(txid), reason }) })
}
