import type { EngineNotification } from "../api/engine-notification.ts"
import type { HeaderIndexSlice, HeaderIndexUpdate } from "../api/network-calls.ts"
import { recordAt, RECORD_BYTES } from "../header-index/header-records.ts"
import type { HeaderIndex } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/** Headers of one slice: a receiver takes some ten milliseconds to add them. */
const SLICE = 8_192

/** Keeps one replica of the header index up to date. */
export interface HeaderIndexReplication {
  /** Returns the next slice for a new replica; `from` 0 starts it again. */
  readonly slice: (from: number) => HeaderIndexSlice
  /** Reports whether the replica is complete. */
  readonly isFollowed: () => boolean
  /** Sends the changes that the replica lacks. */
  readonly flush: () => void
}

export const headerIndexReplication = (
  tree: HeaderIndex,
  notify: (notification: EngineNotification) => void
): HeaderIndexReplication => {
  let isFollowed = false
  /** The number of headers, the tip and the best header of the replica. */
  let sent = 0
  let tip: HeaderIndexNode | undefined
  let bestHeader: HeaderIndexNode | undefined

  const touchedSince = (): Pick<HeaderIndexUpdate, "touched" | "touchedStatuses"> => {
    const touched = Uint32Array.from([...tree.touched ?? []].filter((index) => index < sent))
    const touchedStatuses = Uint8Array.from(touched, (index) => tree.columns.status[index]!)
    tree.touched = new Set()
    return { touched, touchedStatuses }
  }

  const updateTo = (end: number): HeaderIndexUpdate => {
    const changes = touchedSince()
    const from = sent
    const records = new Uint8Array((end - from) * RECORD_BYTES)
    for (let index = from; index < end; index++) {
      records.set(recordAt(tree.records, index), (index - from) * RECORD_BYTES)
    }
    sent = end
    tip = tree.tip
    bestHeader = tree.bestHeader
    const statuses = tree.columns.status.slice(from, end)
    return { from, records, statuses, ...changes, tip: tip.index, bestHeader: bestHeader.index }
  }

  const isCurrent = (): boolean =>
    tree.touched?.size === 0 && sent === tree.nodes.length && tip === tree.tip && bestHeader === tree.bestHeader

  return {
    isFollowed: () => isFollowed,
    slice: (from) => {
      if (from === 0) tree.touched = new Set()
      sent = from
      const end = Math.min(from + SLICE, tree.nodes.length)
      isFollowed = end === tree.nodes.length
      return { update: updateTo(end), headers: tree.nodes.length, isLast: isFollowed }
    },
    flush: () => {
      if (isFollowed && !isCurrent()) notify({ _tag: "Tree", update: updateTo(tree.nodes.length) })
    }
  }
}
