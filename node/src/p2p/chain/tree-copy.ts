import type { TreeUpdate } from "../../engine/calls/network-calls.ts"
import { setTip } from "../../engine/header-tree/active-chain.ts"
import { RECORD_BYTES } from "../../engine/header-tree/header-records.ts"
import { type HeaderTree, headerTree, insertHeader, nodeOf } from "../../engine/header-tree/header-tree.ts"

const HEADER_BYTES = 80

/** A copy of the engine's header tree that is made piece by piece. */
export interface TreeCopy {
  /** Takes in a piece or a change. `isWhole`: what it says of the tip is in the copy. */
  readonly take: (update: TreeUpdate, isWhole: boolean) => void
  /** The copy. Precondition: it is whole. */
  readonly tree: () => HeaderTree
}

const insertRecord = (tree: HeaderTree | undefined, record: Uint8Array): HeaderTree => {
  const header = record.subarray(0, HEADER_BYTES)
  const hash = record.subarray(HEADER_BYTES)
  if (tree === undefined) return headerTree(header, hash)
  // The engine's tree has parents first.
  insertHeader(tree, nodeOf(tree, header.subarray(4, 36))!, header, hash)
  return tree
}

export const treeCopy = (): TreeCopy => {
  let tree: HeaderTree | undefined

  const takeRecords = ({ from, records, statuses }: TreeUpdate): void => {
    for (let at = 0; at < records.length; at += RECORD_BYTES) tree = insertRecord(tree, records.subarray(at, at + RECORD_BYTES))
    tree!.columns.status.set(statuses, from)
  }

  return {
    tree: () => tree!,
    take: (update, isWhole) => {
      takeRecords(update)
      const { columns, nodes } = tree!
      const { bestHeader, tip, touched, touchedStatuses } = update
      touched.forEach((index, i) => {
        columns.status[index] = touchedStatuses[i]!
      })
      if (!isWhole) return
      tree!.bestHeader = nodes[bestHeader]!
      if (tree!.tip !== nodes[tip]) setTip(tree!, nodes[tip]!)
    }
  }
}
