import { ancestorAt, skipHeight } from "@lockstep/kernel/header/node.ts"
import { blockWork } from "@lockstep/kernel/work/block-work.ts"
import { addHash, growSlots, type HashSlots, hashSlots, indexOfHash } from "./hash-slots.ts"
import { growColumns, type HeaderColumns, headerColumns } from "./header-columns.ts"
import { type HeaderRecords, headerRecords, recordChunk, recordOffset, writeRecord } from "./header-records.ts"
import { HeaderStatus } from "./header-status.ts"
import { TreeNode } from "./tree-node.ts"

/** Sequence numbers of blocks that were there when the node started: those of the active chain come before others. */
export const SEQUENCE_OF_TIP_AT_START = 0
export const SEQUENCE_AT_START = 1

/** All headers there are, what is known of their blocks, and which of them make up the active chain. */
export interface HeaderTree {
  readonly records: HeaderRecords
  readonly slots: HashSlots
  readonly columns: HeaderColumns
  readonly nodes: Array<TreeNode>
  /** The active chain: index by height. */
  active: Int32Array
  tip: TreeNode
  /** The end of the chain with the most work that is not known to be invalid. */
  bestHeader: TreeNode
  /** Linked blocks that are not invalid and may be a better tip; no better tip is missing here. */
  readonly candidates: Set<TreeNode>
  /** Blocks that are here and wait for an ancestor's, by index of the parent, in order of arrival. */
  readonly unlinked: Map<number, Array<TreeNode>>
  /** Entries that differ from what is on disk, by index. */
  readonly changed: Set<number>
  /** Entries whose status was changed since somebody who keeps a copy of it was told; none: nobody does. */
  touched: Set<number> | undefined
  nextSequence: number
  /** Counts down: a block somebody calls precious comes before all that arrived. */
  nextPrecious: number
  preciousWork: bigint
}

/** Where the target stands in a header. */
const BITS = 72

interface LastWork {
  bits: number
  work: bigint
}

/** The node of a header on top of `parent`, put into the arrays. `last` spares the work of equal bits. */
const insert = (
  tree: Pick<HeaderTree, "records" | "slots" | "columns" | "nodes">,
  parent: TreeNode | undefined,
  header: Uint8Array,
  hash: Uint8Array,
  last: LastWork
): TreeNode => {
  const { columns, nodes, records, slots } = tree
  const index = nodes.length
  writeRecord(records, index, header, hash)
  growColumns(columns, index)
  addHash(slots, index)
  const bits = recordChunk(records, index).view.getUint32(recordOffset(index) + BITS, true)
  if (bits !== last.bits) Object.assign(last, { bits, work: blockWork(bits) })
  const height = parent === undefined ? 0 : parent.height + 1
  const skip = parent === undefined ? undefined : ancestorAt(parent, skipHeight(height)) as TreeNode
  const node = new TreeNode(records, index, parent, skip, (parent?.chainWork ?? 0n) + last.work)
  nodes.push(node)
  if (parent !== undefined) {
    const youngest = columns.lastChild[parent.index]!
    if (youngest === 0) columns.firstChild[parent.index] = index + 1
    else columns.nextSibling[youngest - 1] = index + 1
    columns.lastChild[parent.index] = index + 1
  }
  return node
}

const LAST_WORK: LastWork = { bits: -1, work: 0n }

/** A tree of nothing but the genesis header. */
export const headerTree = (genesisHeader: Uint8Array, genesisHash: Uint8Array): HeaderTree => {
  const records = headerRecords()
  const parts = { records, slots: hashSlots(records), columns: headerColumns(), nodes: [] }
  const genesis = insert(parts, undefined, genesisHeader, genesisHash, LAST_WORK)
  return {
    ...parts,
    active: new Int32Array(1024),
    tip: genesis,
    bestHeader: genesis,
    candidates: new Set([genesis]),
    unlinked: new Map(),
    changed: new Set(),
    touched: undefined,
    nextSequence: SEQUENCE_AT_START + 1,
    nextPrecious: -1,
    preciousWork: 0n
  }
}

/** Makes room for `count` headers, so that it need not be made little by little. */
export const reserve = ({ columns, slots }: HeaderTree, count: number): void => {
  growSlots(slots, count)
  growColumns(columns, count - 1)
}

/** Adds a header to the tree. Precondition: it is not there; its previous hash is `parent`'s. */
export const insertHeader = (tree: HeaderTree, parent: TreeNode, header: Uint8Array, hash: Uint8Array): TreeNode =>
  insert(tree, parent, header, hash, LAST_WORK)

/** Adds a header that has just arrived and is not known to be invalid. */
export const addHeader = (tree: HeaderTree, parent: TreeNode, header: Uint8Array, hash: Uint8Array): TreeNode => {
  const node = insertHeader(tree, parent, header, hash)
  tree.changed.add(node.index)
  if (node.chainWork > tree.bestHeader.chainWork) tree.bestHeader = node
  return node
}

/** The entry of the header with this hash. */
export const nodeOf = (tree: HeaderTree, hash: Uint8Array): TreeNode | undefined => {
  const index = indexOfHash(tree.slots, hash)
  return index < 0 ? undefined : tree.nodes[index]
}

/** Whether a bit of {@link HeaderStatus} is set. */
export const has = (tree: HeaderTree, node: TreeNode, bit: number): boolean => (tree.columns.status[node.index]! & bit) !== 0

/** Sets bits, and remembers to write the entry. */
export const setStatus = (tree: HeaderTree, node: TreeNode, bits: number): void => {
  tree.columns.status[node.index]! |= bits
  tree.changed.add(node.index)
  tree.touched?.add(node.index)
}

/** Clears bits, and remembers to write the entry. */
export const clearStatus = (tree: HeaderTree, node: TreeNode, bits: number): void => {
  tree.columns.status[node.index]! &= ~bits
  tree.changed.add(node.index)
  tree.touched?.add(node.index)
}

export const isInvalid = (tree: HeaderTree, node: TreeNode): boolean => has(tree, node, HeaderStatus.INVALID)

/** Whether the block and all its ancestors have been here. */
export const isLinked = (tree: HeaderTree, node: TreeNode): boolean => has(tree, node, HeaderStatus.LINKED)

/** The headers directly on top of `node`, in order of arrival. */
export const childrenOf = (tree: HeaderTree, node: TreeNode): ReadonlyArray<TreeNode> => {
  const { columns, nodes } = tree
  const children: Array<TreeNode> = []
  for (let at = columns.firstChild[node.index]!; at !== 0; at = columns.nextSibling[at - 1]!) children.push(nodes[at - 1]!)
  return children
}

/** `node` and everything on top of it, parents first. */
export const withDescendants = (tree: HeaderTree, node: TreeNode): ReadonlyArray<TreeNode> => {
  const found = [node]
  // Grows while it is walked.
  for (const each of found) for (const child of childrenOf(tree, each)) found.push(child)
  return found
}
