import { reorganisation } from "@lockstep/kernel/chain"
import { bestCandidate, pruneCandidates } from "../header-index/candidates.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { has, type HeaderIndex, isInvalid } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/** The next step: a block on top of the one being connected, another branch, or nothing. */
export type Next =
  | { readonly _tag: "Block"; readonly node: HeaderIndexNode }
  | { readonly _tag: "OtherBranch" }
  | { readonly _tag: "Nothing" }

const NOTHING: Next = { _tag: "Nothing" }
const OTHER_BRANCH: Next = { _tag: "OtherBranch" }

/** Finds the way to the best chain block by block, while more blocks arrive. */
export interface BlockRoute {
  /** `from` is the newest connecting block, or the tip. */
  readonly next: (from: HeaderIndexNode) => Next
}

export const makeRoute = (tree: HeaderIndex): BlockRoute => {
  /** The rest of the way; the next block is the last element. */
  let ahead: Array<HeaderIndexNode> = []

  const look = (from: HeaderIndexNode): Next => {
    // Blocks that were passed on the way would be examined again and again.
    pruneCandidates(tree)
    const best = bestCandidate(tree)
    if (best === from || (from !== tree.tip && best.chainWork <= from.chainWork)) return NOTHING
    const { connect, disconnect } = reorganisation(from, best)
    if (disconnect.length > 0) return OTHER_BRANCH
    ahead = connect.toReversed() as Array<HeaderIndexNode>
    return { _tag: "Block", node: ahead.pop()! }
  }

  return {
    next: (from) => {
      const node = ahead.pop()
      const isNext = node !== undefined && node.parent === from && has(tree, node, HeaderStatus.STORED) &&
        !isInvalid(tree, node)
      if (isNext) return { _tag: "Block", node }
      ahead = []
      return look(from)
    }
  }
}
