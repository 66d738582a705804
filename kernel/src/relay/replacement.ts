import * as Result from "effect/Result"
import type { Sats } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { MAX_REPLACEMENT_CANDIDATES } from "./constants.ts"
import { type FeeRate, feeForSize } from "./fee-rate.ts"

/** Relation of the pool's feerate diagram with the replacement to that without it. */
export type DiagramComparison = "better" | "equal" | "worse" | "incomparable"

/**
 * Fee and size of a replacement, in modified fees and virtual bytes, and those of the removed transactions, descendants
 * included.
 */
export interface Replacement {
  readonly fee: Sats
  readonly size: number
  /** Clusters that a direct conflict lies in, each counted once. */
  readonly clusters: number
  readonly removedFees: Sats
}

export type TooManyClusters = Violation<"POL-110", { readonly clusters: number }>
export type PaysLessThanConflicts = Violation<"POL-111", { readonly fee: Sats; readonly removedFees: Sats }>
export type PaysTooLittleForRelay = Violation<"POL-112", { readonly added: Sats; readonly needed: Sats }>
export type DiagramIsNotBetter = Violation<"POL-113", { readonly comparison: DiagramComparison }>

/**
 * The direct conflicts lie in at most 100 clusters: every one has to be linearized again.
 *
 * @spec POL-110 #ce0b4837
 */
export const conflictingClustersAreFew = (clusters: number): Verdict<void, TooManyClusters> =>
  clusters <= MAX_REPLACEMENT_CANDIDATES ? HOLDS : Result.fail(violation("POL-110", { clusters }))

/**
 * A replacement pays at least what all that it removes paid together.
 *
 * @spec POL-111 #1ace9954
 */
export const conflictsArePaid = (fee: Sats, removedFees: Sats): Verdict<void, PaysLessThanConflicts> =>
  fee >= removedFees ? HOLDS : Result.fail(violation("POL-111", { fee, removedFees }))

/**
 * Beyond that it pays for its own relay, at the incremental feerate. Precondition: POL-111.
 *
 * @spec POL-112 #0f70a95c
 */
export const addedRelayIsPaid = (
  added: Sats,
  size: number,
  incremental: FeeRate
): Verdict<void, PaysTooLittleForRelay> => {
  const needed = feeForSize(incremental, size)
  return added >= needed ? HOLDS : Result.fail(violation("POL-112", { added, needed }))
}

/**
 * Miners earn at least as much at every size, and more at some.
 *
 * @spec POL-113 #71fdf9f6
 */
export const diagramImproves = (comparison: DiagramComparison): Verdict<void, DiagramIsNotBetter> =>
  comparison === "better" ? HOLDS : Result.fail(violation("POL-113", { comparison }))

/**
 * Checks a replacement before the pool is changed to compare diagrams (POL-100 and POL-113 follow).
 *
 * @spec POL-114 #4b2a610c
 */
export const checkReplacement = (replacement: Replacement, incremental: FeeRate): Verdict<void, Violation> => {
  const { clusters, fee, removedFees, size } = replacement
  const few = conflictingClustersAreFew(clusters)
  if (Result.isFailure(few)) return few
  const paid = conflictsArePaid(fee, removedFees)
  return Result.isFailure(paid) ? paid : addedRelayIsPaid(fee - removedFees, size, incremental)
}
