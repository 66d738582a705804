import { HeaderStatus } from "./header-status.ts"
import { clearStatus, type HeaderIndex, isInvalid, setStatus, withDescendants } from "./header-index.ts"
import type { HeaderIndexNode } from "./header-index-node.ts"

const findBestHeader = (tree: HeaderIndex): void => {
  let best = tree.tip
  for (const node of tree.nodes) if (node.chainWork > best.chainWork && !isInvalid(tree, node)) best = node
  tree.bestHeader = best
}

/** Marks `node` and everything on top of it. */
export const markInvalid = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  for (const each of withDescendants(tree, node)) {
    setStatus(tree, each, HeaderStatus.INVALID)
    tree.candidates.delete(each)
  }
  if (isInvalid(tree, tree.bestHeader)) findBestHeader(tree)
}

/** Removes the mark from `node`, its ancestors and everything on top of it. */
export const unmarkInvalid = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  for (const each of withDescendants(tree, node)) {
    if (isInvalid(tree, each)) clearStatus(tree, each, HeaderStatus.INVALID)
  }
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (isInvalid(tree, at)) clearStatus(tree, at, HeaderStatus.INVALID)
  }
  findBestHeader(tree)
}
