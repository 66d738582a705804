import type { Height } from "@lockstep/kernel/quantities"
import * as Effect from "effect/Effect"
import type { BlockFilter, FilterHeader } from "../../engine/api/index-calls.ts"
import type { EngineCalls } from "../../engine/api/engine-calls.ts"
import type { Handler } from "../../engine/api/handler.ts"
import type { ChainEngine } from "../../engine/state/chain-engine.ts"
import { activeAt, isActive } from "../../engine/header-index/active-chain.ts"
import { type HeaderIndex, nodeOf } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { asFault } from "../../engine/chainstate/faults.ts"
import type { BlockFilterIndex } from "./block-filter-index.ts"

/** Bytes of filters from which a result ends. */
const LARGEST = 4 * 1024 * 1024

/** Returns the block at a height of the chain that ends with `stop`. */
const ancestor = (tree: HeaderIndex, stop: HeaderIndexNode, height: Height): HeaderIndexNode | undefined => {
  if (height > stop.height || height < 0) return undefined
  let node: HeaderIndexNode | undefined = stop
  // Outside the active chain the walk is only as long as the branch.
  while (node !== undefined && node.height > height && !isActive(tree, node)) node = node.parent
  return node !== undefined && node.height > height ? activeAt(tree, height) : node
}

/** Returns the blocks at these heights of the chain of a block, or `undefined` if one is unknown. */
const blocksAt = (
  tree: HeaderIndex,
  stop: Uint8Array,
  heights: ReadonlyArray<number>
): ReadonlyArray<HeaderIndexNode> | undefined => {
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
    // The blocks are chosen before the first is read: a reorganization meanwhile changes nothing.
    for (const node of blocksAt(tree, stop, heights) ?? []) {
      const filter = yield* asFault(index.findFilter(node, store))
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
      const header = yield* asFault(index.findHeader(node, store))
      if (header === undefined) return undefined
      found.push(header)
    }
    return found
  })
