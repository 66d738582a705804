import { bytesEqual } from "@lockstep/kernel/bytes/equal.ts"
import type { KeyValue } from "../../storage/key-value/key-value-store.ts"
import { isActive, setTip } from "./active-chain.ts"
import { findCandidates } from "./candidates.ts"
import { ENTRY_SIZE, readEntry } from "./header-entry.ts"
import { HeaderStatus } from "./header-status.ts"
import {
  has,
  type HeaderTree,
  headerTree,
  insertHeader,
  isInvalid,
  isLinked,
  nodeOf,
  SEQUENCE_AT_START,
  SEQUENCE_OF_TIP_AT_START
} from "./header-tree.ts"
import { awaitParent, markLinked } from "./link-block.ts"
import type { TreeNode } from "./tree-node.ts"

/** Takes entries from disk, in the order of their keys, and makes a tree of them. */
export interface TreeLoader {
  /** What is wrong with an entry; nothing: it is in the tree. */
  readonly add: (entry: KeyValue) => string | undefined
  /** The tree with this tip, or what is wrong with it. */
  readonly finish: (tipHash: Uint8Array) => HeaderTree | string
}

const afterLoading = (tree: HeaderTree, node: TreeNode): void => {
  const { columns } = tree
  if (columns.transactions[node.index]! > 0) {
    if (node.parent === undefined || isLinked(tree, node.parent)) markLinked(tree, node)
    else awaitParent(tree, node)
  }
  if (!isInvalid(tree, node) && node.chainWork > tree.bestHeader.chainWork) tree.bestHeader = node
}

/** Sets the tip, numbers the blocks anew: who came first is forgotten, but for the chain that was active. */
const takeTip = (tree: HeaderTree, tip: TreeNode): void => {
  setTip(tree, tip)
  for (const node of tree.nodes) {
    tree.columns.sequence[node.index] = isActive(tree, node) ? SEQUENCE_OF_TIP_AT_START : SEQUENCE_AT_START
  }
  tree.candidates.clear()
  findCandidates(tree)
}

/** Loads the tree of the network whose genesis block has this hash. */
export const treeLoader = (genesisHash: Uint8Array): TreeLoader => {
  let tree: HeaderTree | undefined
  return {
    add: ([key, value]) => {
      const hash = key.subarray(5)
      if (key.length !== 37 || value.length !== ENTRY_SIZE) return "an entry of the header tree has a wrong size"
      const header = value.subarray(0, 80)
      if (tree === undefined) {
        if (!bytesEqual(hash, genesisHash)) return "the first header is not the genesis block of this network"
        tree = headerTree(header, hash)
        readEntry(tree, 0, value)
        afterLoading(tree, tree.tip)
        return undefined
      }
      const parent = nodeOf(tree, header.subarray(4, 36))
      if (parent === undefined) return "a header of the tree has no parent"
      const node = insertHeader(tree, parent, header, hash)
      readEntry(tree, node.index, value)
      afterLoading(tree, node)
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
