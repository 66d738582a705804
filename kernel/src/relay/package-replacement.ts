import * as Result from "effect/Result"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { compareFeeRates, type FeeRate } from "./fee-rate.ts"
import {
  addedRelayIsPaid,
  conflictingClustersAreFew,
  conflictsArePaid,
  type DiagramComparison,
  diagramImproves,
  type PaysLessThanConflicts,
  type PaysTooLittleForRelay,
  type Replacement
} from "./replacement.ts"

export type NotParentAndChild = Violation<"POL-115", null>
export type PackageHasAncestors = Violation<"POL-116", null>
export type PackageTooManyClusters = Violation<"POL-117", { readonly clusters: number }>
export type PackagePaysTooLittle = Violation<
  "POL-118",
  PaysLessThanConflicts["detail"] | PaysTooLittleForRelay["detail"]
>
export type ChildDoesNotPay = Violation<"POL-120", { readonly all: FeeRate; readonly parent: FeeRate }>
export type PackageDiagramIsNotBetter = Violation<"POL-121", { readonly comparison: DiagramComparison }>

/** A package that replaces: what it pays and removes as a whole, and how it is made. */
export interface PackageReplacement extends Replacement {
  readonly count: number
  /** True if the last member spends from every other member. */
  readonly isChildWithParents: boolean
  /** Parents in the pool, of any member. */
  readonly pooledParents: number
  /** Modified fee and size of the first member. */
  readonly parent: FeeRate
}

/**
 * A package that replaces is one parent and one child.
 *
 * @spec POL-115 #7d12352c
 */
export const isParentAndChild = (count: number, isChildWithParents: boolean): Verdict<void, NotParentAndChild> =>
  count === 2 && isChildWithParents ? HOLDS : Result.fail(violation("POL-115", null))

/**
 * Neither of the two spends from the pool.
 *
 * @spec POL-116 #98cbc517
 */
export const packageHasNoPooledParents = (pooledParents: number): Verdict<void, PackageHasAncestors> =>
  pooledParents === 0 ? HOLDS : Result.fail(violation("POL-116", null))

/**
 * POL-110 for the direct conflicts of the whole package.
 *
 * @spec POL-117 #55a18bbd
 */
export const packageClustersAreFew = (clusters: number): Verdict<void, PackageTooManyClusters> =>
  Result.isFailure(conflictingClustersAreFew(clusters)) ? Result.fail(violation("POL-117", { clusters })) : HOLDS

/**
 * POL-111 and POL-112 for the fees and size of the whole package.
 *
 * @spec POL-118 #a4f24e82
 */
export const packagePaysForReplacing = (
  replacement: Replacement,
  incremental: FeeRate
): Verdict<void, PackagePaysTooLittle> => {
  const { fee, removedFees, size } = replacement
  const paid = conflictsArePaid(fee, removedFees)
  if (Result.isFailure(paid)) return Result.fail(violation("POL-118", paid.failure.detail))
  const relayed = addedRelayIsPaid(fee - removedFees, size, incremental)
  return Result.isFailure(relayed) ? Result.fail(violation("POL-118", relayed.failure.detail)) : HOLDS
}

/**
 * The child raises the feerate: otherwise the parent alone would be judged better.
 *
 * @spec POL-120 #2ad3126f
 */
export const childPaysForParent = (all: FeeRate, parent: FeeRate): Verdict<void, ChildDoesNotPay> =>
  compareFeeRates(all, parent) > 0 ? HOLDS : Result.fail(violation("POL-120", { all, parent }))

/**
 * POL-113 for the whole package.
 *
 * @spec POL-121 #997e7b57
 */
export const packageDiagramImproves = (comparison: DiagramComparison): Verdict<void, PackageDiagramIsNotBetter> =>
  Result.isFailure(diagramImproves(comparison)) ? Result.fail(violation("POL-121", { comparison })) : HOLDS

/**
 * Checks a package that replaces, before the pool is changed to compare diagrams (POL-100 and POL-121 follow).
 *
 * @spec POL-122 #e2a0f485
 */
export const checkPackageReplacement = (
  replacement: PackageReplacement,
  incremental: FeeRate
): Verdict<void, Violation> => {
  const shape = isParentAndChild(replacement.count, replacement.isChildWithParents)
  if (Result.isFailure(shape)) return shape
  const apart = packageHasNoPooledParents(replacement.pooledParents)
  if (Result.isFailure(apart)) return apart
  const few = packageClustersAreFew(replacement.clusters)
  if (Result.isFailure(few)) return few
  const paid = packagePaysForReplacing(replacement, incremental)
  if (Result.isFailure(paid)) return paid
  return childPaysForParent({ fee: replacement.fee, size: replacement.size }, replacement.parent)
}
