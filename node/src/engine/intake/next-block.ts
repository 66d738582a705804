import { reorganisation } from "@lockstep/kernel/chain/selection.ts"
import { bestCandidate, pruneCandidates } from "../header-tree/candidates.ts"
import { HeaderStatus } from "../header-tree/header-status.ts"
import { has, type HeaderTree, isInvalid } from "../header-tree/header-tree.ts"
import type { TreeNode } from "../header-tree/tree-node.ts"

/** What comes next: a block on top of what is being connected, another branch, or nothing. */
export type Next =
  | { readonly _tag: "Block"; readonly node: TreeNode }
  | { readonly _tag: "OtherBranch" }
  | { readonly _tag: "Nothing" }

const NOTHING: Next = { _tag: "Nothing" }
const OTHER_BRANCH: Next = { _tag: "OtherBranch" }

/** Finds the way to the best chain block by block, while more blocks arrive. */
export interface Route {
  /** `from`: the newest block under way, or the tip. */
  readonly next: (from: TreeNode) => Next
  /** Forgets the way: a block on it turned out to be invalid. */
  readonly forget: () => void
}

export const makeRoute = (tree: HeaderTree): Route => {
  /** The rest of the way, next block last. */
  let ahead: Array<TreeNode> = []

  const look = (from: TreeNode): Next => {
    // What was passed on the way would be looked at again and again.
    pruneCandidates(tree)
    const best = bestCandidate(tree)
    if (best === from || (from !== tree.tip && best.chainWork <= from.chainWork)) return NOTHING
    const { connect, disconnect } = reorganisation(from, best)
    if (disconnect.length > 0) return OTHER_BRANCH
    ahead = connect.toReversed() as Array<TreeNode>
    return { _tag: "Block", node: ahead.pop()! }
  }

  return {
    next: (from) => {
      const node = ahead.pop()
      const isNext = node !== undefined && node.parent === from && has(tree, node, HeaderStatus.STORED) && !isInvalid(tree, node)
      if (isNext) return { _tag: "Block", node }
      ahead = []
      return look(from)
    },
    forget: () => {
      ahead = []
    }
  }
}
