import type { HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import type { NaiveTree } from "../arbitraries/header-tree.ts"
import { kernelChild } from "./chain.ts"

/** The nodes of a tree, one for each header. */
export const kernelTree = ({ headers, parents }: NaiveTree): ReadonlyArray<HeaderNode> => {
  const nodes: Array<HeaderNode> = []
  for (const [i, header] of headers.entries()) nodes.push(kernelChild(nodes[parents[i]!], header))
  return nodes
}
