import type { UnixSeconds } from "@lockstep/kernel/quantities"
import { feePerKilobyte, virtualSize } from "@lockstep/kernel/relay"
import type { TxHandle } from "@lockstep/txgraph"
import type { Removed, Trimmed } from "./contract.ts"
import { removeEntries, removeWithDescendants } from "./remove.ts"
import { currentMinimum, foreseenMinimum, type Fullness, raiseMinimum } from "./rolling-minimum.ts"
import { type MempoolState, usageOf } from "./state.ts"

/** Removes entries that came before `cutoff`, with descendants. */
export const expire = (state: MempoolState, cutoff: number): ReadonlyArray<Removed> => {
  if (cutoff <= state.earliest) return []
  const { columns } = state
  const expired: Array<TxHandle> = []
  let earliest = Number.POSITIVE_INFINITY
  for (let tx = 0; tx < columns.length; tx++) {
    if (columns.isPresent[tx] === 0) continue
    if (columns.time[tx]! < cutoff) expired.push(tx)
    else earliest = Math.min(earliest, columns.time[tx]!)
  }
  state.earliest = earliest
  return removeWithDescendants(state, expired, "expiry")
}

/** Evicts the worst chunk and raises the minimum feerate above its feerate. */
const evictWorst = (state: MempoolState): Trimmed => {
  const { graph, minimum, options } = state
  const worst = graph.worstChunk()
  if (worst === undefined) return { removed: [], minimum: 0 }
  const { fee, size, transactions } = graph.chunk(worst)
  const paid = feePerKilobyte({ fee: BigInt(fee), size: virtualSize(size) })
  const asked = Number(paid) + options.incrementalFee
  raiseMinimum(minimum, asked)
  return { removed: removeEntries(state, transactions, "sizelimit"), minimum: asked }
}

const isTooFull = (state: MempoolState): boolean => {
  const { columns: { count }, options: { maxBytes, maxCount = Number.POSITIVE_INFINITY } } = state
  return count > 0 && (count > maxCount || usageOf(state) > maxBytes)
}

/** Evicts the worst chunks until the mempool is within its limits. */
export const trim = (state: MempoolState): Trimmed => {
  const removed: Array<Removed> = []
  let minimum = 0
  while (isTooFull(state)) {
    const evicted = evictWorst(state)
    removed.push(...evicted.removed)
    minimum = Math.max(minimum, evicted.minimum)
  }
  return { removed, minimum }
}

const fullnessOf = (state: MempoolState): Fullness => ({
  usage: () => usageOf(state),
  limit: state.options.maxBytes,
  incremental: state.options.incrementalFee
})

/** Returns the minimum feerate because the mempool was full, in satoshis per 1,000 virtual bytes. */
export const minimumFee = (state: MempoolState, now: UnixSeconds): number =>
  currentMinimum(state.minimum, now, fullnessOf(state))

/** Returns the same without changing it, for observers. */
export const foreseenMinimumFee = (state: MempoolState, now: UnixSeconds): number =>
  foreseenMinimum(state.minimum, now, fullnessOf(state))
