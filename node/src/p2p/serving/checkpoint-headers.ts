import type { Height } from "@lockstep/kernel/quantities"
import { ancestorAt } from "@lockstep/kernel/chain"
import * as Effect from "effect/Effect"
import { activeAt, isActive } from "../../engine/header-index/active-chain.ts"
import type { HeaderIndex } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { P2pChain } from "../chain/p2p-chain.ts"
import { hashKey } from "../basics/hash-key.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/**
 * Returns the filter headers of every thousandth block of a block's chain, the lowest first. `undefined` if the index
 * is disabled or has not reached them.
 */
export type CheckpointHeaders = (
  tree: HeaderIndex,
  stop: HeaderIndexNode
) => Effect.Effect<ReadonlyArray<Uint8Array> | undefined>

/** Returns the block at a height of the chain of `stop`. */
const blockAt = (tree: HeaderIndex, stop: HeaderIndexNode, height: Height): HeaderIndexNode =>
  isActive(tree, stop) ? activeAt(tree, height)! : ancestorAt(stop, height) as HeaderIndexNode

/**
 * Caches the headers it has read, by block: they never change, and a request for checkpoints names hundreds of blocks
 * in a few bytes.
 */
export const checkpointHeaders = (read: P2pChain["filterHeaders"]): CheckpointHeaders => {
  const cache = new Map<string, Uint8Array>()
  return Effect.fnUntraced(function*(tree, stop) {
    const interval = SERVING_LIMITS.checkpointInterval.most
    const heights = Array.from({ length: Math.floor(stop.height / interval) }, (_, i) => (i + 1) * interval)
    const keys = heights.map((height) => hashKey(blockAt(tree, stop, height).hash))
    const missing = heights.filter((_, i) => !cache.has(keys[i]!))
    if (read === undefined) return undefined
    const found = missing.length === 0 ? [] : yield* read({ heights: missing, stop: stop.hash })
    if (found === undefined) return undefined
    const fresh = new Map(found.map(({ block, header }) => [hashKey(block), header]))
    for (const [key, header] of fresh) {
      if (cache.size < SERVING_LIMITS.cachedCheckpoints.most) cache.set(key, header)
    }
    return keys.map((key) => fresh.get(key) ?? cache.get(key)!)
  })
}
