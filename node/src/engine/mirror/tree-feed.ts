import type { EngineNews } from "../calls/engine-calls.ts"
import type { TreeSlice, TreeUpdate } from "../calls/network-calls.ts"
import { recordAt, RECORD_BYTES } from "../header-tree/header-records.ts"
import type { HeaderTree } from "../header-tree/header-tree.ts"
import type { TreeNode } from "../header-tree/tree-node.ts"

/** Headers of one piece: some ten milliseconds of work for whoever takes them in. */
const SLICE = 8_192

/** Keeps one copy of the header tree, elsewhere, up to date. */
export interface TreeFeed {
  /** The next piece for a new copy; from 0 on it is begun anew. */
  readonly slice: (from: number) => TreeSlice
  /** Whether there is a whole copy. */
  readonly isFollowed: () => boolean
  /** Tells what the copy lacks. */
  readonly flush: () => void
}

export const treeFeed = (tree: HeaderTree, tell: (news: EngineNews) => void): TreeFeed => {
  let isFollowed = false
  /** Headers the copy has, and what it takes for tip and best header. */
  let sent = 0
  let tip: TreeNode | undefined
  let bestHeader: TreeNode | undefined

  const touchedSince = (): Pick<TreeUpdate, "touched" | "touchedStatuses"> => {
    const touched = Uint32Array.from([...tree.touched ?? []].filter((index) => index < sent))
    const touchedStatuses = Uint8Array.from(touched, (index) => tree.columns.status[index]!)
    tree.touched = new Set()
    return { touched, touchedStatuses }
  }

  const updateTo = (end: number): TreeUpdate => {
    const changes = touchedSince()
    const from = sent
    const records = new Uint8Array((end - from) * RECORD_BYTES)
    for (let index = from; index < end; index++) records.set(recordAt(tree.records, index), (index - from) * RECORD_BYTES)
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
      if (isFollowed && !isCurrent()) tell({ _tag: "Tree", update: updateTo(tree.nodes.length) })
    }
  }
}
