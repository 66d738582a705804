import { ancestorAt, type HeaderNode } from "./header-node.ts"

/** Which blocks to take off the chain, from its tip down, and which to put on, from the fork up. */
export interface Reorganisation {
  readonly fork: HeaderNode | undefined
  readonly disconnect: ReadonlyArray<HeaderNode>
  readonly connect: ReadonlyArray<HeaderNode>
}

/** A chain tip with the order in which its block arrived; the smaller number was seen first. */
export interface Candidate {
  readonly node: HeaderNode
  readonly sequence: number
}

/**
 * Reports whether `a` is to be preferred to `b`: more work, and among equals the one whose block was seen first.
 *
 * @spec CHN-003 #c1864dcf
 */
export const isBetterChain = (a: Candidate, b: Candidate): boolean =>
  a.node.chainWork > b.node.chainWork || (a.node.chainWork === b.node.chainWork && a.sequence < b.sequence)

/**
 * Returns the last header that both chains have, or `undefined` if they have different genesis blocks.
 *
 * @spec CHN-004 #70107838
 */
export const lastCommonAncestor = (a: HeaderNode, b: HeaderNode): HeaderNode | undefined => {
  const height = Math.min(a.height, b.height)
  let left = ancestorAt(a, height)
  let right = ancestorAt(b, height)
  // Both are always at the same height, so their skips are too, and they run out of parents together.
  while (left !== right) {
    // Equal skips are no proof that the parents meet, different ones are a proof that they do not.
    const skip: boolean = left!.skip !== right!.skip
    left = skip ? left!.skip : left!.parent
    right = skip ? right!.skip : right!.parent
  }
  return left
}

const pathDown = (from: HeaderNode, to: HeaderNode | undefined): Array<HeaderNode> => {
  const path: Array<HeaderNode> = []
  for (let at: HeaderNode | undefined = from; at !== to; at = at!.parent) path.push(at!)
  return path
}

/**
 * Returns the steps from the chain that ends in `from` to the one that ends in `to`.
 *
 * @spec CHN-005 #ba0607e3
 */
export const reorganisation = (from: HeaderNode, to: HeaderNode): Reorganisation => {
  const fork = lastCommonAncestor(from, to)
  return { fork, disconnect: pathDown(from, fork), connect: pathDown(to, fork).reverse() }
}
