import { nodeEvent } from "../../events/node-event.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { MempoolListener } from "./contract.ts"

/** The shares of the limit at which the mempool becomes nearly full, and stops being nearly full. */
const NEARLY_FULL = 0.9
const ROOM_AGAIN = 0.85

/** Notifies subscribers once when the mempool is nearly full, and again only after its use has fallen. */
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
