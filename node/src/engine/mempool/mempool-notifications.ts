import { concatBytes } from "@lockstep/kernel/bytes"
import { nodeEvent } from "../../events/node-event.ts"
import { displayHash } from "../../hex.ts"
import type { RemovedTogether } from "../api/engine-notification.ts"
import type { MempoolTransaction } from "../api/mempool-calls.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { notifyLog } from "../notify/notifications.ts"
import type { Entry, Removed } from "../txmempool/contract.ts"
import type { MempoolListener } from "./contract.ts"

/** An entry as sent to replicas of the mempool. */
export const asTransaction = ({ bytes, fee, sequence, txid, virtualSize, wtxid }: Entry): MempoolTransaction => ({
  txid,
  wtxid,
  bytes,
  fee,
  virtualSize,
  sequence
})

/** Groups adjacent removals with one reason and consecutive numbers. */
const runsOf = (
  removed: ReadonlyArray<Removed>
): ReadonlyArray<Pick<RemovedTogether, "reason" | "sequence" | "txids">> => {
  const runs: Array<Pick<RemovedTogether, "reason" | "sequence" | "txids">> = []
  for (let from = 0, to = 0; from < removed.length; from = to) {
    const { reason, sequence } = removed[from]!
    const isNext = (at: number): boolean =>
      at < removed.length && removed[at]!.reason === reason && removed[at]!.sequence === sequence + at - from
    while (isNext(to)) to++
    runs.push({ reason, sequence, txids: concatBytes(removed.slice(from, to).map(({ entry }) => entry.txid)) })
  }
  return runs
}

/**
 * Notifies subscribers of the events of the mempool. `minRelayFee` is in satoshis per 1,000 virtual bytes; `size`
 * returns the number of transactions in the mempool.
 */
export const mempoolNotifications = (
  engine: Pick<ChainEngine, "feed" | "notify">,
  minRelayFee: number,
  size: () => number
): MempoolListener => {
  const { feed, notify } = engine
  let lowest = 0
  return {
    added: (_tx, entry, sequence, { isNew }) => {
      if (feed.isFollowed()) notify({ _tag: "TransactionAdded", transaction: asTransaction(entry), isNew, sequence })
      const ids = { txid: displayHash(entry.txid), wtxid: displayHash(entry.wtxid) }
      const { fee, virtualSize } = entry
      const event = nodeEvent("MempoolTransactionAdded", {
        ...ids,
        fee: Number(fee),
        vsize: virtualSize,
        fee_rate: Number(fee) / virtualSize,
        mempool_size: size()
      })
      notify({ _tag: "Event", event })
      if (isNew) notify({ _tag: "Event", event: nodeEvent("NewTransaction", ids) })
    },
    removedTogether: (removed) => {
      for (const { entry: { txid }, wasUnbroadcast } of removed) {
        if (!wasUnbroadcast) continue
        notifyLog(engine, "debug", "A transaction leaves before a peer asked for it", { txid: displayHash(txid) })
      }
      for (const run of runsOf(removed)) {
        notify({ _tag: "TransactionsRemoved", ...run, size: size(), isFollowed: feed.isFollowed() })
      }
    },
    trimmed: (transactions, minimum) =>
      notifyLog(engine, "debug", "Transactions were evicted from a full mempool", {
        transactions,
        minimum_fee_rate: minimum
      }),
    minimumFee: (rate) => {
      if (rate === lowest) return
      const before = lowest
      lowest = rate
      if (feed.isFollowed()) notify({ _tag: "PoolRate", rate })
      const [old, now] = [before, rate].map((each) => Math.max(minRelayFee, each) / 1_000)
      if (old === now) return
      const payload = { old_fee_rate: old!, new_fee_rate: now!, mempool_size: size() }
      notify({ _tag: "Event", event: nodeEvent("FeeRateChanged", payload) })
    }
  }
}
