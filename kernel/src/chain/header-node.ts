import type { Header } from "../model/header.ts"
import type { Hash, Height, Work } from "../quantities.ts"
import { blockWork } from "../work/block-work.ts"

/**
 * A header in its tree. Ancestry is by pointers only: an index of the active chain by height is wrong for a competing
 * branch. `chainWork` is the work of the chain up to and including this header.
 */
export interface HeaderNode {
  readonly header: Header
  /** Wire order. */
  readonly hash: Hash
  readonly height: Height
  readonly parent: HeaderNode | undefined
  /** An ancestor further back, so that any ancestor is O(log n) steps away. */
  readonly skip: HeaderNode | undefined
  readonly chainWork: Work
}

/** `n` without its lowest set bit. */
const withoutLowestBit = (n: number): number => n & (n - 1)

/** The height that the skip pointer of height `height` leads to. Precondition: 0 ≤ height < 2³¹. */
export const skipHeight = (height: Height): Height =>
  height < 2 ? 0 : (height & 1) === 1 ? withoutLowestBit(withoutLowestBit(height - 1)) + 1 : withoutLowestBit(height)

/**
 * Returns the ancestor of `node` at `height` (itself at its own height), or `undefined` for a height that it does not
 * have.
 *
 * @spec CHN-001 #96e570ab
 */
export const ancestorAt = (node: HeaderNode, height: Height): HeaderNode | undefined => {
  if (height < 0 || height > node.height) return undefined
  let at: HeaderNode = node
  while (at.height > height) {
    const skipTo = skipHeight(at.height)
    const parentSkipTo = skipHeight(at.height - 1)
    // Follow the skip unless the parent's own skip gets closer without passing the goal.
    const skips = skipTo === height || (skipTo > height && !(parentSkipTo < skipTo - 2 && parentSkipTo >= height))
    at = (skips ? at.skip : at.parent)!
  }
  return at
}

/**
 * Returns the node of a header on top of `parent`, which is `undefined` for a genesis block.
 *
 *     chainWork = chainWork(parent) + work(bits)
 *
 * Precondition: `hash` is the header's hash, and `parent`'s is the header's previous one.
 *
 * @spec CHN-002 #b96c3d26
 */
export const childOf = (parent: HeaderNode | undefined, header: Header, hash: Hash): HeaderNode => {
  const height = parent === undefined ? 0 : parent.height + 1
  return {
    header,
    hash,
    height,
    parent,
    skip: parent === undefined ? undefined : ancestorAt(parent, skipHeight(height)),
    chainWork: (parent === undefined ? 0n : parent.chainWork) + blockWork(header.bits)
  }
}
