import type { HeaderTree } from "../../engine/header-tree/header-tree.ts"
import { activeAt } from "../../engine/header-tree/active-chain.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"

/** Where a transaction is: in which block, and which bytes of it. */
export interface TransactionPlace {
  readonly height: number
  /** The first four bytes of the block's hash, which tell apart the few blocks of one height. */
  readonly mark: number
  readonly offset: number
  readonly size: number
}

export const PLACE_SIZE = 16

/** Four numbers of four bytes, highest first. */
export const writePlace = (bytes: Uint8Array, at: number, { height, mark, offset, size }: TransactionPlace): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at)
  view.setUint32(0, height)
  view.setUint32(4, mark)
  view.setUint32(8, offset)
  view.setUint32(12, size)
}

export const placeAt = (bytes: Uint8Array, at: number): TransactionPlace => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at)
  return { height: view.getUint32(0), mark: view.getUint32(4), offset: view.getUint32(8), size: view.getUint32(12) }
}

/** What a place keeps of the hash of its block. */
export const markOf = (hash: Uint8Array): number => new DataView(hash.buffer, hash.byteOffset).getUint32(0)

/** The block of a place. Nearly always it is of the active chain; one of a branch that was left is searched for. */
export const blockOfPlace = (tree: HeaderTree, { height, mark }: TransactionPlace): TreeNode | undefined => {
  const isIt = (node: TreeNode | undefined): boolean => node !== undefined && node.height === height && markOf(node.hash) === mark
  const active = activeAt(tree, height)
  return isIt(active) ? active : tree.nodes.find(isIt)
}
