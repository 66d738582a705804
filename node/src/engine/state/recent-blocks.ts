import type { IdentifiedBlock } from "./identified-block.ts"

/** Blocks by index of their header, as many as fit. The oldest are evicted first. */
export interface RecentBlocks {
  readonly get: (index: number) => IdentifiedBlock | undefined
  readonly put: (index: number, block: IdentifiedBlock) => void
  /** Adds a block only if it fits without evicting another. */
  readonly offer: (index: number, block: IdentifiedBlock) => void
  readonly remove: (index: number) => void
}

/** Keeps blocks of up to `limit` bytes together, and always the last one. */
export const recentBlocks = (limit: number): RecentBlocks => {
  const blocks = new Map<number, IdentifiedBlock>()
  let size = 0
  const remove = (index: number): void => {
    const held = blocks.get(index)
    if (held === undefined) return
    blocks.delete(index)
    size -= held.block.bytes.length
  }
  const put = (index: number, block: IdentifiedBlock): void => {
    remove(index)
    blocks.set(index, block)
    size += block.block.bytes.length
    for (const oldest of blocks.keys()) {
      if (size <= limit || oldest === index) break
      remove(oldest)
    }
  }
  return {
    get: (index) => blocks.get(index),
    put,
    offer: (index, block) => {
      if (size + block.block.bytes.length <= limit) put(index, block)
    },
    remove
  }
}
