import { ASSUMED_VALID_BURIAL } from "../constants.ts"
import { ancestorAt, type HeaderNode } from "./header-node.ts"
import type { Work } from "../quantities.ts"
import { blockWork } from "../work/block-work.ts"

/**
 * A block that is assumed valid, named by its hash. The header is `undefined` if the tree has no header of that hash.
 */
export interface AssumedBlock {
  readonly header: HeaderNode | undefined
}

/** The reason why the scripts of a block must be judged, in Bitcoin Core's words. */
export type ScriptCheckReason =
  | "assumevalid=0 (always verify)"
  | "assumevalid hash not in headers"
  | "block height above assumevalid height"
  | "block not in assumevalid chain"
  | "block not in best header chain"
  | "best header chainwork below minimumchainwork"
  | "block too recent relative to best header"

const MAX_INT64 = 2n ** 63n - 1n

/**
 * Seconds that the work from `from` to `to` takes at the difficulty of `tip`; negative when `from` has more of it.
 *
 *     |seconds| = min(⌊|work(to) − work(from)| · targetSpacing / work(tip's bits)⌋, 2⁶³ − 1)
 *
 * Bits that are no target measure no time.
 *
 * @spec CHN-006 #6101fba2
 */
export const equivalentTime = (to: HeaderNode, from: HeaderNode, tip: HeaderNode, targetSpacing: number): bigint => {
  const unit = blockWork(tip.header.bits)
  if (unit === 0n) return 0n
  const work = to.chainWork - from.chainWork
  // Division of big integers cuts towards zero, so the sign may go along.
  const seconds = (work * BigInt(targetSpacing)) / unit
  if (seconds > MAX_INT64) return MAX_INT64
  return seconds < -MAX_INT64 ? -MAX_INT64 : seconds
}

const isOnChainOf = (tip: HeaderNode, node: HeaderNode): boolean => ancestorAt(tip, node.height) === node

/**
 * Returns the reason why the scripts of the block of `node` must be judged, or `undefined` if they may be assumed
 * valid. `best` is the header with the most work, whether or not its blocks are stored.
 *
 * An attacker may have chosen the hash, or made the headers up. The block therefore needs two weeks of work on top, and
 * the chain the least work of its network. Two weeks exactly are not enough. Precondition: all nodes belong to one
 * tree.
 *
 * @spec CHN-007 #8456241d
 */
export const scriptCheckReason = (
  node: HeaderNode,
  assumed: AssumedBlock | undefined,
  best: HeaderNode,
  minimumWork: Work,
  targetSpacing: number
): ScriptCheckReason | undefined => {
  if (assumed === undefined) return "assumevalid=0 (always verify)"
  if (assumed.header === undefined) return "assumevalid hash not in headers"
  if (node.height > assumed.header.height) return "block height above assumevalid height"
  if (!isOnChainOf(assumed.header, node)) return "block not in assumevalid chain"
  if (!isOnChainOf(best, node)) return "block not in best header chain"
  if (best.chainWork < minimumWork) return "best header chainwork below minimumchainwork"
  if (equivalentTime(best, node, best, targetSpacing) <= ASSUMED_VALID_BURIAL) {
    return "block too recent relative to best header"
  }
  return undefined
}
