import { nodeEvent } from "../../events/node-event.ts"
import { displayHash } from "../../hex.ts"
import type { MempoolTransaction } from "../api/mempool-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import type { Entry } from "../txmempool/contract.ts"
import type { MempoolListener } from "./contract.ts"

/** An entry as replicas of the mempool have it. */
export const asTransaction = ({ bytes, fee, sequence, txid, virtualSize, wtxid }: Entry): MempoolTransaction => ({
  txid,
  wtxid,
  bytes,
  fee,
  virtualSize,
  sequence
})

/** Notifies subscribers of what happens to the mempool. `minRelayFee` is satoshi per 1,000 virtual bytes. */
export const mempoolNotifications = ({ feed, tell }: ChainEngine, minRelayFee: number): MempoolListener => {
  let lowest = 0
  return {
    added: (_tx, entry) => {
      if (feed.isFollowed()) tell({ _tag: "TransactionAdded", transaction: asTransaction(entry) })
      const ids = { txid: displayHash(entry.txid), wtxid: displayHash(entry.wtxid) }
      const { fee, sequence, virtualSize } = entry
      const event = nodeEvent("MempoolTransactionAdded", {
        ...ids,
        fee: Number(fee),
        vsize: virtualSize,
        fee_rate: Number(fee) / virtualSize
      })
      tell({ _tag: "Event", event })
      // One that comes back from a block was new before.
      if (sequence > 0) tell({ _tag: "Event", event: nodeEvent("NewTransaction", ids) })
    },
    removed: ({ entry: { txid }, reason }) => {
      if (feed.isFollowed()) tell({ _tag: "TransactionRemoved", txid, reason })
      tell({ _tag: "Event", event: nodeEvent("MempoolTransactionRemoved", { txid: displayHash(txid), reason }) })
    },
    minimumFee: (rate) => {
      if (rate === lowest) return
      const before = lowest
      lowest = rate
      if (feed.isFollowed()) tell({ _tag: "PoolRate", rate })
      const [old, now] = [before, rate].map((each) => Math.max(minRelayFee, each) / 1_000)
      if (old === now) return
      tell({ _tag: "Event", event: nodeEvent("FeeRateChanged", { old_fee_rate: old!, new_fee_rate: now! }) })
    }
  }
}
