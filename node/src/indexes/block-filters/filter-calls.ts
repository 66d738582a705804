import * as Effect from "effect/Effect"
import type { BlockFilter, EngineCalls, FilterHeader } from "../../engine/calls/engine-calls.ts"
import type { Handler } from "../../engine/calls/handlers.ts"
import type { ChainEngine } from "../../engine/chain-engine.ts"
import { activeAt, isActive } from "../../engine/header-tree/active-chain.ts"
import { type HeaderTree, nodeOf } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import { asRefusal } from "../../engine/writer.ts"
import type { BlockFilterIndex } from "./block-filter-index.ts"

/** Bytes of filters after which an answer ends. */
const LARGEST = 4 * 1024 * 1024

/** The block at a height of the chain that ends with `stop`. */
const ancestor = (tree: HeaderTree, stop: TreeNode, height: number): TreeNode | undefined => {
  if (height > stop.height || height < 0) return undefined
  let node: TreeNode | undefined = stop
  // Outside the active chain there are only as many steps as the branch is long.
  while (node !== undefined && node.height > height && !isActive(tree, node)) node = node.parent
  return node !== undefined && node.height > height ? activeAt(tree, height) : node
}

/** Blocks at heights of the chain of a block; none: there is one that is not known. */
const blocksAt = (tree: HeaderTree, stop: Uint8Array, heights: ReadonlyArray<number>): ReadonlyArray<TreeNode> | undefined => {
  const last = nodeOf(tree, stop)
  if (last === undefined) return undefined
  const nodes = heights.flatMap((height) => ancestor(tree, last, height) ?? [])
  return nodes.length === heights.length ? nodes : undefined
}

export const blockFilters = ({ store, tree }: ChainEngine, index: BlockFilterIndex): Handler<"blockFilters"> =>
  Effect.fnUntraced(function*({ from, most, stop }: EngineCalls["blockFilters"]["in"]) {
    const last = nodeOf(tree, stop)
    if (last === undefined || last.height < from) return undefined
    const heights = Array.from({ length: Math.min(most, last.height - from + 1) }, (_, i) => from + i)
    const found: Array<BlockFilter> = []
    let bytes = 0
    // Which blocks they are is settled before the first is read: a reorganisation meanwhile changes nothing.
    for (const node of blocksAt(tree, stop, heights) ?? []) {
      const filter = yield* asRefusal(index.findFilter(node, store))
      if (filter === undefined) return undefined
      found.push(filter)
      bytes += filter.filter.length
      if (bytes >= LARGEST) break
    }
    return found.length === 0 ? undefined : found
  })

export const filterHeaders = ({ store, tree }: ChainEngine, index: BlockFilterIndex): Handler<"filterHeaders"> =>
  Effect.fnUntraced(function*({ heights, stop }: EngineCalls["filterHeaders"]["in"]) {
    const nodes = blocksAt(tree, stop, heights)
    if (nodes === undefined) return undefined
    const found: Array<FilterHeader> = []
    for (const node of nodes) {
      const header = yield* asRefusal(index.findHeader(node, store))
      if (header === undefined) return undefined
      found.push(header)
    }
    return found
  })
