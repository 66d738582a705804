import { nodeEvent } from "../../events/node-event.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { MempoolListener } from "./contract.ts"

/** Share of the limit from which on the mempool is about to be full, and the one below which it is not any more. */
const NEARLY_FULL = 0.9
const ROOM_AGAIN = 0.85

/** Notifies subscribers once when the mempool is about to be full, and again only after it had room. */
export const mempoolThreshold = (
  { notify }: Pick<ChainEngine, "notify">,
  usage: () => number,
  limit: number
): MempoolListener => {
  const threshold = Math.floor(limit * NEARLY_FULL)
  let isNearlyFull = false
  return {
    added: () => {
      if (isNearlyFull) return
      const current_size = usage()
      isNearlyFull = limit > 0 && current_size > threshold
      if (isNearlyFull) {
        notify({ _tag: "Event", event: nodeEvent("MempoolThresholdExceeded", { current_size, threshold }) })
      }
    },
    removedTogether: () => {
      if (isNearlyFull && usage() < limit * ROOM_AGAIN) isNearlyFull = false
    }
  }
}
