import { nodeEvent } from "../../events/node-event.ts"
import { displayHash } from "../../hex.ts"
import type { EngineNotification } from "./engine-notification.ts"

/** Splits a notification of joint removals into one notification for each transaction; returns others unchanged. */
export const singleNotifications = (notification: EngineNotification): ReadonlyArray<EngineNotification> => {
  if (notification._tag !== "TransactionsRemoved") return [notification]
  const { isFollowed, reason, sequence, size, txids } = notification
  const single: Array<EngineNotification> = []
  for (let at = 0; at < txids.length; at += 32) {
    const txid = txids.slice(at, at + 32)
    if (isFollowed) single.push({ _tag: "TransactionRemoved", txid, reason, sequence: sequence + at / 32 })
    const payload = { txid: displayHash(txid), reason, mempool_size: size }
    single.push({ _tag: "Event", event: nodeEvent("MempoolTransactionRemoved", payload) })
  }
  return single
}
