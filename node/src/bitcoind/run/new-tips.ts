import type { UnixSeconds } from "@lockstep/kernel/quantities"
import type { EngineNotification, TipFigures } from "../../engine/api/engine-notification.ts"
import { displayHash } from "../../hex.ts"

/** Answers which new tips each notification of the chain makes known, oldest first. */
export type NewTips = (notification: EngineNotification) => ReadonlyArray<string>

/**
 * Core: `NotifyBlockTip`. Each block that makes the best chain better is a new tip, however many one commit has. Blocks
 * of the initial download are none, and neither are those of a reorganization up to the work of the tip before it.
 * `isRecent`: whether a tip of this time ends the initial download.
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
    // The first state is the tip of the last run, and the tips of the download are not shown.
    if (work === undefined || initialBlockDownload) {
      last = tip
      work = chainWork
      return []
    }
    const found = ended ? atTheEnd.flatMap(better) : []
    // A better tip is sent by itself. One that is not comes from a call that invalidates or prefers a block.
    return tip !== last && chainWork <= work ? [...found, ...show(tip, chainWork)] : found
  }
}
