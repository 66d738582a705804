import { bytesEqual } from "@lockstep/kernel/bytes/equal.ts"
import type { TreeSlice, TreeUpdate } from "../../engine/calls/network-calls.ts"
import { setTip } from "../../engine/header-tree/active-chain.ts"
import { RECORD_BYTES } from "../../engine/header-tree/header-records.ts"
import { type HeaderTree, headerTree, insertHeader, nodeOf, reserve } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"

const HEADER_BYTES = 80

/** A copy of the engine's header tree that is made piece by piece. */
export interface TreeCopy {
  /** Takes in a piece of a tree that has about so many headers. */
  readonly takeSlice: (slice: TreeSlice) => void
  /** Takes in a change. Precondition: the last piece is in. */
  readonly take: (update: TreeUpdate) => void
  /** The copy. Precondition: a piece is in. */
  readonly tree: () => HeaderTree
}

/** The engine's tree has parents first, mostly right before. */
const parentOf = (tree: HeaderTree, header: Uint8Array): TreeNode => {
  const last = tree.nodes.at(-1)!
  const previous = header.subarray(4, 36)
  return bytesEqual(last.hash, previous) ? last : nodeOf(tree, previous)!
}

export const treeCopy = (): TreeCopy => {
  let tree: HeaderTree | undefined

  const takeRecords = ({ from, records, statuses }: TreeUpdate): void => {
    for (let at = 0; at < records.length; at += RECORD_BYTES) {
      const header = records.subarray(at, at + HEADER_BYTES)
      const hash = records.subarray(at + HEADER_BYTES, at + RECORD_BYTES)
      if (tree === undefined) tree = headerTree(header, hash)
      else insertHeader(tree, parentOf(tree, header), header, hash)
    }
    tree!.columns.status.set(statuses, from)
  }

  const takeStatuses = ({ touched, touchedStatuses }: TreeUpdate): void => {
    for (let i = 0; i < touched.length; i++) tree!.columns.status[touched[i]!] = touchedStatuses[i]!
  }

  const take = (update: TreeUpdate): void => {
    takeRecords(update)
    takeStatuses(update)
    const { nodes } = tree!
    tree!.bestHeader = nodes[update.bestHeader]!
    if (tree!.tip.index !== update.tip) setTip(tree!, nodes[update.tip]!)
  }

  return {
    tree: () => tree!,
    take,
    takeSlice: ({ headers, isLast, update }) => {
      if (isLast) return take(update)
      takeRecords(update)
      takeStatuses(update)
      if (update.from === 0) reserve(tree!, headers)
    }
  }
}
