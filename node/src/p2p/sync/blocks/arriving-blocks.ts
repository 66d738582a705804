import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"

/**
 * Blocks that arrived and that the engine has not answered yet. Those in the header index are kept by index: the whole
 * window is looked up for every request, and a number is found much faster than a hash.
 */
export interface ArrivingBlocks {
  readonly known: Set<number>
  /** Keys of the hashes of blocks whose header was unknown when they arrived. */
  readonly unknown: Set<string>
}

export const arrivingBlocks = (): ArrivingBlocks => ({ known: new Set(), unknown: new Set() })

/** Adds a block, with `node` if its header is known and the `key` of its hash. Returns false if it was added before. */
export const addArriving = (
  { known, unknown }: ArrivingBlocks,
  node: HeaderIndexNode | undefined,
  key: string
): boolean => {
  if (unknown.has(key) || (node !== undefined && known.has(node.index))) return false
  if (node === undefined) unknown.add(key)
  else known.add(node.index)
  return true
}

/** Removes a block; the arguments must be those it was added with. */
export const endArriving = (
  { known, unknown }: ArrivingBlocks,
  node: HeaderIndexNode | undefined,
  key: string
): void => {
  if (node === undefined) unknown.delete(key)
  else known.delete(node.index)
}

/** Returns the number of blocks. */
export const arrivingCount = ({ known, unknown }: ArrivingBlocks): number => known.size + unknown.size
