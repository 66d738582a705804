import { compareFeerates } from "../feerate/compare.ts"
import { highBit, lowBit, WIDTH } from "./bits.ts"
import type { Problem } from "./problem.ts"

/** Groups of adjacent transactions in an order that is being rebuilt. */
export interface Groups {
  /** Groups by position. */
  readonly at: Uint8Array
  readonly fee: Float64Array
  readonly size: Float64Array
  readonly low: Int32Array
  readonly high: Int32Array
  /** Transactions that must precede the group, in the direction of the pass. */
  readonly needsLow: Int32Array
  readonly needsHigh: Int32Array
  readonly first: Uint8Array
  readonly last: Uint8Array
  readonly next: Uint8Array
}

export const emptyGroups = (): Groups => ({
  at: new Uint8Array(WIDTH),
  fee: new Float64Array(WIDTH),
  size: new Float64Array(WIDTH),
  low: new Int32Array(WIDTH),
  high: new Int32Array(WIDTH),
  needsLow: new Int32Array(WIDTH),
  needsHigh: new Int32Array(WIDTH),
  first: new Uint8Array(WIDTH),
  last: new Uint8Array(WIDTH),
  next: new Uint8Array(WIDTH)
})

const single = (groups: Groups, { fee, size }: Problem, tx: number, low: Int32Array, high: Int32Array): void => {
  groups.fee[tx] = fee[tx]!
  groups.size[tx] = size[tx]!
  groups.low[tx] = lowBit(tx)
  groups.high[tx] = highBit(tx)
  groups.needsLow[tx] = low[tx]!
  groups.needsHigh[tx] = high[tx]!
  groups.first[tx] = groups.last[tx] = tx
}

/** Appends the transactions of `group` to those of `before`. */
const append = (groups: Groups, before: number, group: number): void => {
  groups.next[groups.last[before]!] = groups.first[group]!
  groups.last[before] = groups.last[group]!
  groups.fee[before]! += groups.fee[group]!
  groups.size[before]! += groups.size[group]!
  groups.low[before]! |= groups.low[group]!
  groups.high[before]! |= groups.high[group]!
  groups.needsLow[before]! |= groups.needsLow[group]!
  groups.needsHigh[before]! |= groups.needsHigh[group]!
}

/**
 * One pass over `order`. Each transaction, as a group, moves past groups that should follow it, and joins the first one
 * that it needs. A group should not follow one of lower (`sign` 1) or higher (-1) feerate.
 */
const pass = (
  groups: Groups,
  problem: Problem,
  order: Uint8Array,
  sign: number,
  low: Int32Array,
  high: Int32Array
): void => {
  const { at, fee, size } = groups
  let end = 0
  for (let place = 0; place < problem.count; place++) {
    const group = order[place]!
    single(groups, problem, group, low, high)
    at[end] = group
    let current = group
    let here = end++
    while (here > 0) {
      const before = at[here - 1]!
      if (sign * compareFeerates(fee[before]!, size[before]!, fee[current]!, size[current]!) >= 0) break
      const needs = (groups.needsLow[current]! & groups.low[before]!) |
        (groups.needsHigh[current]! & groups.high[before]!)
      if (needs === 0) {
        at[here] = before
        at[here - 1] = current
      } else {
        append(groups, before, current)
        current = before
        // Closes the gap of the groups that were passed so far.
        at.copyWithin(here, here + 1, end)
        end--
      }
      here--
    }
  }
  let place = 0
  for (let i = 0; i < end; i++) {
    const { first, last, next } = groups
    for (let tx = first[at[i]!]!;; tx = next[tx]!) {
      order[place++] = tx
      if (tx === last[at[i]!]) break
    }
  }
}

/** Improves an order without making any part of its diagram worse: one pass from the end, then one from the front. */
export const polish = (groups: Groups, problem: Problem, order: Uint8Array): void => {
  const all = order.subarray(0, problem.count)
  all.reverse()
  pass(groups, problem, all, -1, problem.descendantsLow, problem.descendantsHigh)
  all.reverse()
  pass(groups, problem, all, 1, problem.ancestorsLow, problem.ancestorsHigh)
}
