import { compareFeerates } from "../feerate/compare.ts"
import { NONE } from "../store/columns.ts"
import type { Store } from "../store/store.ts"

/** Returns the transaction of a chunk with the greatest txid. */
const greatestOf = ({ chunks, compareIds, transactions }: Store, chunk: number): number => {
  const { greatest, start, transactions: counts } = chunks.columns
  if (greatest[chunk] !== NONE) return greatest[chunk]!
  let tx = start[chunk]!
  let found = tx
  for (let left = counts[chunk]! - 1; left > 0; left--) {
    tx = transactions.columns.next[tx]!
    if (compareIds(tx, found) > 0) found = tx
  }
  greatest[chunk] = found
  return found
}

/**
 * Compares two chunks in mining order: by higher feerate, then by the smaller prefix of its feerate, then by the
 * smaller greatest txid. Two chunks of one cluster never have to be distinguished by txid.
 */
export const compareChunks = (store: Store, a: number, b: number): number => {
  const { fee, prefix, rate, size } = store.chunks.columns
  if (rate[a]! !== rate[b]!) return rate[b]! - rate[a]!
  return compareFeerates(fee[b]!, size[b]!, fee[a]!, size[a]!) ||
    prefix[a]! - prefix[b]! ||
    (a === b ? 0 : store.compareIds(greatestOf(store, a), greatestOf(store, b)))
}

/** Returns a well distributed number. The chunk with the highest one is the root of its subtree. */
const priorityOf = (chunk: number): number => {
  const mixed = Math.imul(chunk ^ (chunk >>> 16) ^ 0x5bd1e995, 0x9e3779b1)
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0
}

/** Rotates a chunk above its parent. */
const rotateUp = ({ chunks }: Store, chunk: number): void => {
  const { above, left, right } = chunks.columns
  const lower = above[chunk]!
  const top = above[lower]!
  const isLeft = left[lower] === chunk
  const moved = isLeft ? right[chunk]! : left[chunk]!
  if (isLeft) left[lower] = moved
  else right[lower] = moved
  if (moved !== NONE) above[moved] = lower
  if (isLeft) right[chunk] = lower
  else left[chunk] = lower
  above[lower] = chunk
  above[chunk] = top
  if (top === NONE) chunks.root = chunk
  else if (left[top] === lower) left[top] = chunk
  else right[top] = chunk
}

/** Links a chunk into the list between two neighbours. */
const link = ({ chunks }: Store, before: number, chunk: number, after: number): void => {
  const { next, previous } = chunks.columns
  previous[chunk] = before
  next[chunk] = after
  if (before === NONE) chunks.first = chunk
  else next[before] = chunk
  if (after === NONE) chunks.last = chunk
  else previous[after] = chunk
}

/** Inserts a chunk at its position in the mining order. */
export const insertChunk = (store: Store, chunk: number): void => {
  const { chunks } = store
  const { above, left, right } = chunks.columns
  let parent = NONE
  let before = NONE
  let after = NONE
  for (let at = chunks.root; at !== NONE;) {
    parent = at
    if (compareChunks(store, chunk, at) < 0) {
      after = at
      at = left[at]!
    } else {
      before = at
      at = right[at]!
    }
  }
  left[chunk] = right[chunk] = NONE
  above[chunk] = parent
  if (parent === NONE) chunks.root = chunk
  else if (parent === after) left[parent] = chunk
  else right[parent] = chunk
  link(store, before, chunk, after)
  const priority = priorityOf(chunk)
  while (above[chunk] !== NONE && priorityOf(above[chunk]!) < priority) rotateUp(store, chunk)
}

/** Removes a chunk from the mining order. It compares nothing, so feerates and txids need not exist any more. */
export const removeChunk = (store: Store, chunk: number): void => {
  const { chunks } = store
  const { above, left, next, previous, right } = chunks.columns
  for (;;) {
    const [lower, higher] = [left[chunk]!, right[chunk]!]
    if (lower === NONE && higher === NONE) break
    const isLower = higher === NONE || (lower !== NONE && priorityOf(lower) > priorityOf(higher))
    rotateUp(store, isLower ? lower : higher)
  }
  const parent = above[chunk]!
  if (parent === NONE) chunks.root = NONE
  else if (left[parent] === chunk) left[parent] = NONE
  else right[parent] = NONE
  const before = previous[chunk]!
  const after = next[chunk]!
  if (before === NONE) chunks.first = after
  else next[before] = after
  if (after === NONE) chunks.last = before
  else previous[after] = before
}
