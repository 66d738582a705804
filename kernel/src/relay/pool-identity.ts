import * as Result from "effect/Result"
import { bytesEqual } from "../bytes/equal.ts"
import type { Hash } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type AlreadyInPool = Violation<"POL-085", null>
export type OtherWitnessInPool = Violation<"POL-086", { readonly pooled: Hash }>
export type ReplacementNotAllowed = Violation<"POL-087", { readonly conflicts: number }>
export type AlreadyKnown = Violation<"POL-088", null>
export type SpendsWhatItReplaces = Violation<"POL-089", { readonly conflict: Hash }>

/**
 * The pool does not hold the transaction. `pooled` is the wtxid of the one that it holds under the same txid.
 *
 * @spec POL-085 #bf313950
 */
export const isNotInPool = (wtxid: Hash, pooled: Hash | undefined): Verdict<void, AlreadyInPool> =>
  pooled !== undefined && bytesEqual(pooled, wtxid) ? Result.fail(violation("POL-085", null)) : HOLDS

/**
 * Nor does it hold it with another witness. Precondition: POL-085.
 *
 * @spec POL-086 #de9e0dab
 */
export const isNotInPoolOtherwise = (pooled: Hash | undefined): Verdict<void, OtherWitnessInPool> =>
  pooled === undefined ? HOLDS : Result.fail(violation("POL-086", { pooled }))

/**
 * Nothing in the pool spends the same outputs, or it may be replaced.
 *
 * @spec POL-087 #ab56d790
 */
export const replacementIsAllowed = (conflicts: number, allowed: boolean): Verdict<void, ReplacementNotAllowed> =>
  conflicts === 0 || allowed ? HOLDS : Result.fail(violation("POL-087", { conflicts }))

/**
 * Asked where a coin is missing: the transaction's own outputs are not among the coins, so it is not simply confirmed.
 *
 * @spec POL-088 #7360488b
 */
export const outputsAreNotKnown = (known: boolean): Verdict<void, AlreadyKnown> =>
  known ? Result.fail(violation("POL-088", null)) : HOLDS

/**
 * A replacement does not descend from what it replaces.
 *
 * @spec POL-089 #50507c2b
 */
export const ancestorsStay = (
  ancestors: ReadonlyArray<Hash>,
  conflicts: ReadonlyArray<Hash>
): Verdict<void, SpendsWhatItReplaces> => {
  const conflict = ancestors.find((ancestor) => conflicts.some((each) => bytesEqual(each, ancestor)))
  return conflict === undefined ? HOLDS : Result.fail(violation("POL-089", { conflict }))
}
