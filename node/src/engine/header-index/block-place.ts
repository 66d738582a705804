import type { FilePosition } from "../../storage/block-files/block-files.ts"
import { HeaderStatus } from "./header-status.ts"
import { clearStatus, has, type HeaderIndex, setStatus } from "./header-index.ts"
import type { HeaderIndexNode } from "./header-index-node.ts"

/** Returns the position of the block of `node`, or `undefined` if it is not stored. */
export const blockPlace = (tree: HeaderIndex, node: HeaderIndexNode): FilePosition | undefined => {
  if (!has(tree, node, HeaderStatus.STORED)) return undefined
  const { blockFile, blockOffset, blockSize } = tree.columns
  return { file: blockFile[node.index]!, offset: blockOffset[node.index]!, size: blockSize[node.index]! }
}

/** Returns the position of the undo data of `node`, or `undefined` if they are not stored. */
export const undoPlace = (tree: HeaderIndex, node: HeaderIndexNode): FilePosition | undefined => {
  if (!has(tree, node, HeaderStatus.UNDO)) return undefined
  const { undoFile, undoOffset, undoSize } = tree.columns
  return { file: undoFile[node.index]!, offset: undoOffset[node.index]!, size: undoSize[node.index]! }
}

/** Records the position of the block of `node`. */
export const setBlockPlace = (
  tree: HeaderIndex,
  node: HeaderIndexNode,
  place: FilePosition,
  transactions: number
): void => {
  const { columns } = tree
  columns.blockFile[node.index] = place.file
  columns.blockOffset[node.index] = place.offset
  columns.blockSize[node.index] = place.size
  columns.transactions[node.index] = transactions
  clearStatus(tree, node, HeaderStatus.PRUNED)
  setStatus(tree, node, HeaderStatus.STORED)
}

/** Records the position of the undo data of `node`. */
export const setUndoPlace = (tree: HeaderIndex, node: HeaderIndexNode, place: FilePosition): void => {
  const { columns } = tree
  columns.undoFile[node.index] = place.file
  columns.undoOffset[node.index] = place.offset
  columns.undoSize[node.index] = place.size
  setStatus(tree, node, HeaderStatus.UNDO)
}

/** Records that block and undo data of `node` were pruned. */
export const forgetPlaces = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  clearStatus(tree, node, HeaderStatus.STORED | HeaderStatus.UNDO)
  setStatus(tree, node, HeaderStatus.PRUNED)
}
