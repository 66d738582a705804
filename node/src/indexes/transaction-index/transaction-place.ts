import type { Height } from "@lockstep/kernel/quantities"
import type { HeaderIndex } from "../../engine/header-index/header-index.ts"
import { activeAt } from "../../engine/header-index/active-chain.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"

/** Position of a transaction: its block, and its bytes within the block. */
export interface TransactionPlace {
  readonly height: Height
  /** The first four bytes of the block's hash, which distinguish the few blocks of one height. */
  readonly mark: number
  readonly offset: number
  readonly size: number
}

export const PLACE_SIZE = 16

/** Writes four big-endian numbers of four bytes each. */
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

/** Returns the part of a block's hash that a position contains. */
export const markOf = (hash: Uint8Array): number => new DataView(hash.buffer, hash.byteOffset).getUint32(0)

/** Returns the block of a position. Nearly always it is in the active chain; a block of another branch is searched for. */
export const blockOfPlace = (tree: HeaderIndex, { height, mark }: TransactionPlace): HeaderIndexNode | undefined => {
  const isIt = (node: HeaderIndexNode | undefined): boolean =>
    node !== undefined && node.height === height && markOf(node.hash) === mark
  const active = activeAt(tree, height)
  return isIt(active) ? active : tree.nodes.find(isIt)
}
