import { HeaderStatus } from "./header-status.ts"
import { clearStatus, type HeaderIndex, isInvalid, setStatus, withDescendants } from "./header-index.ts"
import type { HeaderIndexNode } from "./header-index-node.ts"

const findBestHeader = (tree: HeaderIndex): void => {
  let best = tree.tip
  for (const node of tree.nodes) if (node.chainWork > best.chainWork && !isInvalid(tree, node)) best = node
  tree.bestHeader = best
}

/** Records an invalid block if no invalid chain has more work. */
export const noteInvalid = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  if (tree.bestInvalid === undefined || node.chainWork > tree.bestInvalid.chainWork) tree.bestInvalid = node
}

/** Marks `node` and all its descendants. */
const markWithDescendants = (tree: HeaderIndex, node: HeaderIndexNode, isFound: boolean): void => {
  for (const each of withDescendants(tree, node)) {
    setStatus(tree, each, HeaderStatus.INVALID)
    tree.candidates.delete(each)
    if (isFound) noteInvalid(tree, each)
  }
  if (isInvalid(tree, tree.bestHeader)) findBestHeader(tree)
}

/** Marks `node`, which breaks a rule, and all its descendants. */
export const markInvalid = (tree: HeaderIndex, node: HeaderIndexNode): void => markWithDescendants(tree, node, true)

/** Marks `node` and all its descendants at the operator's request. Of these, only `node` counts as found invalid. */
export const markChosenInvalid = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  markWithDescendants(tree, node, false)
  noteInvalid(tree, node)
}

/** Removes the mark from `node`, its ancestors and its descendants. */
export const unmarkInvalid = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  for (const each of withDescendants(tree, node)) {
    if (isInvalid(tree, each)) clearStatus(tree, each, HeaderStatus.INVALID)
  }
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (isInvalid(tree, at)) clearStatus(tree, at, HeaderStatus.INVALID)
  }
  if (tree.bestInvalid !== undefined && !isInvalid(tree, tree.bestInvalid)) tree.bestInvalid = undefined
  findBestHeader(tree)
}
