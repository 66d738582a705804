import { ancestorAt, skipHeight } from "@lockstep/kernel/chain"
import type { Height } from "@lockstep/kernel/quantities"
import { blockWork } from "@lockstep/kernel/work"
import { addHash, growSlots, type HeaderSlots, headerSlots, indexOfHash } from "./hash-slots.ts"
import { growColumns, type HeaderColumns, headerColumns } from "./header-columns.ts"
import { type HeaderRecords, headerRecords, recordChunk, recordOffset, writeRecord } from "./header-records.ts"
import { HeaderStatus } from "./header-status.ts"
import { HeaderIndexNode } from "./header-index-node.ts"

/** Sequence numbers of blocks stored when the node started. Those of the active chain come before others. */
export const SEQUENCE_OF_TIP_AT_START = 0
export const SEQUENCE_AT_START = 1

/** All known headers, the facts of their blocks, and the active chain. */
export interface HeaderIndex {
  readonly records: HeaderRecords
  readonly slots: HeaderSlots
  readonly columns: HeaderColumns
  readonly nodes: Array<HeaderIndexNode>
  /** The active chain: indices of headers, by height. */
  active: Int32Array
  tip: HeaderIndexNode
  /**
   * The block of an unconfirmed snapshot. The active chain does not leave it, because blocks before it may be missing.
   * `undefined` if the chain was validated from genesis on.
   */
  assumed: HeaderIndexNode | undefined
  /** The end of the chain with the most work that is not known to be invalid. */
  bestHeader: HeaderIndexNode
  /**
   * The end of the invalid chain with the most work, found invalid since the start or marked before. `undefined`
   * without such a chain.
   */
  bestInvalid: HeaderIndexNode | undefined
  /** Linked blocks that are not invalid and may be a better tip. The set contains every better tip. */
  readonly candidates: Set<HeaderIndexNode>
  /** Stored blocks that wait for an ancestor, by index of the parent, in order of arrival. */
  readonly unlinked: Map<number, Array<HeaderIndexNode>>
  /** Indices of the entries that differ from those on disk. */
  readonly changed: Set<number>
  /** Indices of the entries whose status changed since the replica was last updated; `undefined` without a replica. */
  touched: Set<number> | undefined
  nextSequence: number
  /** Counts down, so that a block marked by `preciousblock` comes before all that arrived. */
  nextPrecious: number
  preciousWork: bigint
  /** Blocks of the active chain above this height have undo data. `undefined` if a new search from the tip is needed. */
  lastPruned: Height | undefined
}

/** Offset of the target in a header. */
const BITS = 72

interface LastWork {
  bits: number
  work: bigint
}

/** Adds the node of a header on top of `parent` to the arrays. `last` saves decoding equal targets again. */
const insert = (
  tree: Pick<HeaderIndex, "records" | "slots" | "columns" | "nodes">,
  parent: HeaderIndexNode | undefined,
  header: Uint8Array,
  hash: Uint8Array,
  last: LastWork
): HeaderIndexNode => {
  const { columns, nodes, records, slots } = tree
  const index = nodes.length
  writeRecord(records, index, header, hash)
  growColumns(columns, index)
  addHash(slots, index)
  const bits = recordChunk(records, index).view.getUint32(recordOffset(index) + BITS, true)
  if (bits !== last.bits) Object.assign(last, { bits, work: blockWork(bits) })
  const height = parent === undefined ? 0 : parent.height + 1
  const skip = parent === undefined ? undefined : ancestorAt(parent, skipHeight(height)) as HeaderIndexNode
  const node = new HeaderIndexNode(records, index, parent, skip, (parent?.chainWork ?? 0n) + last.work)
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

/** Makes a header index that contains only the genesis header. */
export const headerIndex = (genesisHeader: Uint8Array, genesisHash: Uint8Array): HeaderIndex => {
  const records = headerRecords()
  const parts = { records, slots: headerSlots(records), columns: headerColumns(), nodes: [] }
  const genesis = insert(parts, undefined, genesisHeader, genesisHash, LAST_WORK)
  return {
    ...parts,
    active: new Int32Array(1024),
    tip: genesis,
    assumed: undefined,
    bestHeader: genesis,
    bestInvalid: undefined,
    candidates: new Set([genesis]),
    unlinked: new Map(),
    changed: new Set(),
    touched: undefined,
    nextSequence: SEQUENCE_AT_START + 1,
    nextPrecious: -1,
    preciousWork: 0n,
    lastPruned: undefined
  }
}

/** Grows the index for `count` headers at once. */
export const reserve = ({ columns, slots }: HeaderIndex, count: number): void => {
  growSlots(slots, count)
  growColumns(columns, count - 1)
}

/** Adds a header to the index. Preconditions: the index does not contain it; its previous hash is that of `parent`. */
export const insertHeader = (
  tree: HeaderIndex,
  parent: HeaderIndexNode,
  header: Uint8Array,
  hash: Uint8Array
): HeaderIndexNode => insert(tree, parent, header, hash, LAST_WORK)

/** Adds a new header that is not known to be invalid. */
export const addHeader = (
  tree: HeaderIndex,
  parent: HeaderIndexNode,
  header: Uint8Array,
  hash: Uint8Array
): HeaderIndexNode => {
  const node = insertHeader(tree, parent, header, hash)
  tree.changed.add(node.index)
  if (node.chainWork > tree.bestHeader.chainWork) tree.bestHeader = node
  return node
}

/** Returns the entry of the header with this hash, or `undefined`. */
export const nodeOf = (tree: HeaderIndex, hash: Uint8Array): HeaderIndexNode | undefined => {
  const index = indexOfHash(tree.slots, hash)
  return index < 0 ? undefined : tree.nodes[index]
}

/** Reports whether a bit of {@link HeaderStatus} is set. */
export const has = (tree: HeaderIndex, node: HeaderIndexNode, bit: number): boolean =>
  (tree.columns.status[node.index]! & bit) !== 0

/** Sets bits and marks the entry as changed. */
export const setStatus = (tree: HeaderIndex, node: HeaderIndexNode, bits: number): void => {
  tree.columns.status[node.index]! |= bits
  tree.changed.add(node.index)
  tree.touched?.add(node.index)
}

/** Clears bits and marks the entry as changed. */
export const clearStatus = (tree: HeaderIndex, node: HeaderIndexNode, bits: number): void => {
  tree.columns.status[node.index]! &= ~bits
  if ((bits & (HeaderStatus.STORED | HeaderStatus.UNDO)) !== 0) tree.lastPruned = undefined
  tree.changed.add(node.index)
  tree.touched?.add(node.index)
}

export const isInvalid = (tree: HeaderIndex, node: HeaderIndexNode): boolean => has(tree, node, HeaderStatus.INVALID)

/** Reports whether the block and all its ancestors have been stored at some time. */
export const isLinked = (tree: HeaderIndex, node: HeaderIndexNode): boolean => has(tree, node, HeaderStatus.LINKED)

/** Returns the headers directly on top of `node`, in order of arrival. */
export const childrenOf = (tree: HeaderIndex, node: HeaderIndexNode): ReadonlyArray<HeaderIndexNode> => {
  const { columns, nodes } = tree
  const children: Array<HeaderIndexNode> = []
  for (let at = columns.firstChild[node.index]!; at !== 0; at = columns.nextSibling[at - 1]!) {
    children.push(nodes[at - 1]!)
  }
  return children
}

/** Returns `node` and all its descendants, parents first. */
export const withDescendants = (tree: HeaderIndex, node: HeaderIndexNode): ReadonlyArray<HeaderIndexNode> => {
  const found = [node]
  // `found` grows during the walk.
  for (const each of found) for (const child of childrenOf(tree, each)) found.push(child)
  return found
}
