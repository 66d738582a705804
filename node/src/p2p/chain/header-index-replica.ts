import { bytesEqual } from "@lockstep/kernel/bytes"
import type { HeaderIndexSlice, HeaderIndexUpdate } from "../../engine/api/network-calls.ts"
import { setTip } from "../../engine/header-index/active-chain.ts"
import { RECORD_BYTES } from "../../engine/header-index/header-records.ts"
import { type HeaderIndex, headerIndex, insertHeader, nodeOf, reserve } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"

const HEADER_BYTES = 80

/** A copy of the engine's header index, built in slices. */
export interface HeaderIndexReplica {
  /** Adds a slice of a header index of about that many headers. */
  readonly takeSlice: (slice: HeaderIndexSlice) => void
  /** Applies a change. Precondition: the last slice was added. */
  readonly take: (update: HeaderIndexUpdate) => void
  /** Returns the copy. Precondition: one slice was added. */
  readonly tree: () => HeaderIndex
}

/** Finds the parent: the engine sends parents first, mostly directly before the child. */
const parentOf = (tree: HeaderIndex, header: Uint8Array): HeaderIndexNode => {
  const last = tree.nodes.at(-1)!
  const previous = header.subarray(4, 36)
  return bytesEqual(last.hash, previous) ? last : nodeOf(tree, previous)!
}

export const headerIndexReplica = (): HeaderIndexReplica => {
  let tree: HeaderIndex | undefined

  const takeRecords = ({ from, records, statuses }: HeaderIndexUpdate): void => {
    for (let at = 0; at < records.length; at += RECORD_BYTES) {
      const header = records.subarray(at, at + HEADER_BYTES)
      const hash = records.subarray(at + HEADER_BYTES, at + RECORD_BYTES)
      if (tree === undefined) tree = headerIndex(header, hash)
      else insertHeader(tree, parentOf(tree, header), header, hash)
    }
    tree!.columns.status.set(statuses, from)
  }

  const takeStatuses = ({ touched, touchedStatuses }: HeaderIndexUpdate): void => {
    for (let i = 0; i < touched.length; i++) tree!.columns.status[touched[i]!] = touchedStatuses[i]!
  }

  const take = (update: HeaderIndexUpdate): void => {
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
