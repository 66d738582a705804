import type { UnixSeconds } from "@lockstep/kernel/quantities"
import type { EngineNotification, TipFigures } from "../../engine/api/engine-notification.ts"
import { displayHash } from "../../hex.ts"

/** Returns the new tips that a notification of the chain announces, oldest first. */
export type NewTips = (notification: EngineNotification) => ReadonlyArray<string>

/**
 * Core: `NotifyBlockTip`. Each block that improves the best chain is a new tip, even if one commit has several. Blocks
 * of the initial block download are not announced. In a reorganization, neither are blocks without more work than the
 * previous tip. `isRecent` reports whether a tip of this time ends the initial block download.
 */
export const newTips = (isRecent: (time: UnixSeconds) => boolean): NewTips => {
  let connected: Array<TipFigures> = []
  let isDownloading = true
  let work: bigint | undefined
  let last = ""

  const show = (tip: string, of: bigint): ReadonlyArray<string> => {
    last = tip
    work = of
    return [tip]
  }

  const better = ({ chainWork, hash }: TipFigures): ReadonlyArray<string> =>
    work !== undefined && chainWork > work ? show(displayHash(hash), chainWork) : []

  return (notification) => {
    if (notification._tag === "Tip") {
      if (!isDownloading) return better(notification.tip)
      connected.push(notification.tip)
    }
    if (notification._tag !== "State") return []
    const { chainWork, hash, initialBlockDownload } = notification.state
    const tip = displayHash(hash)
    const first = connected.findIndex(({ time }) => isRecent(time))
    const atTheEnd = initialBlockDownload || first < 0 ? [] : connected.slice(first)
    const ended = isDownloading && !initialBlockDownload
    connected = []
    isDownloading = initialBlockDownload
    // The first state is the tip of the last run. Tips of the initial block download are not announced.
    if (work === undefined || initialBlockDownload) {
      last = tip
      work = chainWork
      return []
    }
    const found = ended ? atTheEnd.flatMap(better) : []
    // Better tips arrive as notifications. A tip without more work is the result of a call that invalidates or prefers
    // a block.
    return tip !== last && chainWork <= work ? [...found, ...show(tip, chainWork)] : found
  }
}
