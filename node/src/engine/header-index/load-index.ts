import { bytesEqual } from "@lockstep/kernel/bytes"
import type { AssumeUtxo } from "@lockstep/protocol/networks/network.ts"
import type { KeyValue } from "../../storage/key-value/key-value-store.ts"
import { isActive, setTip } from "./active-chain.ts"
import { findCandidates } from "./candidates.ts"
import { ENTRY_SIZE, readEntry } from "./header-entry.ts"
import { HeaderStatus } from "./header-status.ts"
import {
  has,
  type HeaderIndex,
  headerIndex,
  insertHeader,
  isInvalid,
  isLinked,
  nodeOf,
  SEQUENCE_AT_START,
  SEQUENCE_OF_TIP_AT_START
} from "./header-index.ts"
import { awaitParent, markAssumed, markLinked } from "./link-block.ts"
import { noteInvalid } from "./mark-invalid.ts"
import type { HeaderIndexNode } from "./header-index-node.ts"

/** Reads entries from disk in key order and makes a header index of them. */
export interface HeaderIndexLoader {
  /** Adds an entry. Returns a description of its error, or `undefined` if it was added. */
  readonly add: (entry: KeyValue) => string | undefined
  /** Returns the header index with this tip, or a description of the error. */
  readonly finish: (tipHash: Uint8Array) => HeaderIndex | string
}

const afterLoading = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  const { columns } = tree
  if (columns.transactions[node.index]! > 0) {
    if (node.parent === undefined || isLinked(tree, node.parent)) markLinked(tree, node)
    else awaitParent(tree, node)
  }
  if (isInvalid(tree, node)) noteInvalid(tree, node)
  else if (node.chainWork > tree.bestHeader.chainWork) tree.bestHeader = node
}

/** Sets the tip and renumbers the blocks. The order of arrival is lost, except for the active chain. */
const takeTip = (tree: HeaderIndex, tip: HeaderIndexNode): void => {
  setTip(tree, tip)
  for (const node of tree.nodes) {
    tree.columns.sequence[node.index] = isActive(tree, node) ? SEQUENCE_OF_TIP_AT_START : SEQUENCE_AT_START
  }
  tree.candidates.clear()
  findCandidates(tree)
}

/** Loads the header index of the network whose genesis block has this hash. `assumed` is an unconfirmed snapshot. */
export const headerIndexLoader = (genesisHash: Uint8Array, assumed?: AssumeUtxo): HeaderIndexLoader => {
  let tree: HeaderIndex | undefined
  return {
    add: ([key, value]) => {
      const hash = key.subarray(5)
      if (key.length !== 37 || value.length !== ENTRY_SIZE) return "an entry of the header tree has a wrong size"
      const header = value.subarray(0, 80)
      if (tree === undefined) {
        if (!bytesEqual(hash, genesisHash)) return "the first header is not the genesis block of this network"
        tree = headerIndex(header, hash)
        readEntry(tree, 0, value)
        afterLoading(tree, tree.tip)
        return undefined
      }
      const parent = nodeOf(tree, header.subarray(4, 36))
      if (parent === undefined) return "a header of the tree has no parent"
      const node = insertHeader(tree, parent, header, hash)
      readEntry(tree, node.index, value)
      afterLoading(tree, node)
      if (assumed !== undefined && bytesEqual(hash, assumed.hash)) markAssumed(tree, node, assumed.chainTransactions)
      return undefined
    },
    finish: (tipHash) => {
      if (tree === undefined) return "there is a tip, but no header tree"
      const tip = nodeOf(tree, tipHash)
      if (tip === undefined) return "the tip is not in the header tree"
      if (!has(tree, tip, HeaderStatus.CONNECTED) || !isLinked(tree, tip) || isInvalid(tree, tip)) {
        return "the tip in the store is not a connected block of the header tree"
      }
      takeTip(tree, tip)
      return tree
    }
  }
}
