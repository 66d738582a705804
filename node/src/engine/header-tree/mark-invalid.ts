import { HeaderStatus } from "./header-status.ts"
import { clearStatus, type HeaderTree, isInvalid, setStatus, withDescendants } from "./header-tree.ts"
import type { TreeNode } from "./tree-node.ts"

const findBestHeader = (tree: HeaderTree): void => {
  let best = tree.tip
  for (const node of tree.nodes) if (node.chainWork > best.chainWork && !isInvalid(tree, node)) best = node
  tree.bestHeader = best
}

/** Marks `node` and everything on top of it. */
export const markInvalid = (tree: HeaderTree, node: TreeNode): void => {
  for (const each of withDescendants(tree, node)) {
    setStatus(tree, each, HeaderStatus.INVALID)
    tree.candidates.delete(each)
  }
  if (isInvalid(tree, tree.bestHeader)) findBestHeader(tree)
}

/** Takes the mark off `node`, its ancestors and everything on top of it. */
export const unmarkInvalid = (tree: HeaderTree, node: TreeNode): void => {
  for (const each of withDescendants(tree, node)) if (isInvalid(tree, each)) clearStatus(tree, each, HeaderStatus.INVALID)
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (isInvalid(tree, at)) clearStatus(tree, at, HeaderStatus.INVALID)
  }
  findBestHeader(tree)
}
