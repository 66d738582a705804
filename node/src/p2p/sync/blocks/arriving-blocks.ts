import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"

/**
 * Blocks that came and that the engine has not answered yet. Those of the tree are kept by index: the whole window is
 * looked up for every request, and a number is found much faster than a hash.
 */
export interface ArrivingBlocks {
  readonly known: Set<number>
  /** Blocks whose header was not there when they came, by key of their hash. */
  readonly unknown: Set<string>
}

export const arrivingBlocks = (): ArrivingBlocks => ({ known: new Set(), unknown: new Set() })

/** Adds the block, `node` if its header is there and `key` by its hash; false: it is one of them already. */
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

/** Removes it; to be called with what it was added with. */
export const endArriving = (
  { known, unknown }: ArrivingBlocks,
  node: HeaderIndexNode | undefined,
  key: string
): void => {
  if (node === undefined) unknown.delete(key)
  else known.delete(node.index)
}

/** How many there are. */
export const arrivingCount = ({ known, unknown }: ArrivingBlocks): number => known.size + unknown.size
