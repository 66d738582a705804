import * as Result from "effect/Result"
import type { Transaction } from "../model/transaction.ts"
import type { Sats } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { MAX_BIP125_RBF_SEQUENCE } from "./constants.ts"
import type { FeeRate } from "./fee-rate.ts"

/** The operator's mode for replacing transactions of the pool. */
export type ReplacementMode = "disabled" | "conservative" | "standard" | "aggressive"

/** Requirements of a mode on a replacement, beside Bitcoin Core's rules. */
export interface ReplacementTerms {
  /** True if conflicts may be replaced at all (POL-087). */
  readonly allowed: boolean
  /** True if a package may replace (POL-122). */
  readonly packages: boolean
  /** True if the feerate diagram must improve (POL-113, POL-121). */
  readonly diagram: boolean
  /** True if every direct conflict must signal (POL-130). */
  readonly signalling: boolean
  /**
   * Thousandths of the removed transactions' feerate that a replacement must exceed; 0 for no requirement (POL-131).
   */
  readonly rateFactor: number
  /** Satoshis beyond the removed transactions' fees that it must exceed; `undefined` for no requirement (POL-132). */
  readonly bump: Sats | undefined
  /**
   * Number of times that the spenders of a coin may have been replaced before; `undefined` for any number (POL-133).
   */
  readonly maxReplacements: number | undefined
  /** Seconds since the last replacement of a conflict (POL-134). */
  readonly cooldown: number
  /** Confirmations of what it spends and its conflicts do not (POL-135). */
  readonly confirmations: number
}

export type ConflictDoesNotSignal = Violation<"POL-130", { readonly conflict: number }>
export type RateNotExceeded = Violation<"POL-131", { readonly rateFactor: number }>
export type BumpNotExceeded = Violation<"POL-132", { readonly added: Sats; readonly bump: Sats }>
export type ReplacedTooOften = Violation<"POL-133", { readonly replacements: number; readonly limit: number }>
export type ReplacedTooSoon = Violation<"POL-134", { readonly waited: number; readonly cooldown: number }>
export type AddsUnconfirmedInput = Violation<"POL-135", { readonly confirmations: number; readonly needed: number }>

/**
 * Every direct conflict has an input that signals.
 *
 * @spec POL-130 #859b9a1a
 */
export const conflictsSignal = (conflicts: ReadonlyArray<Transaction>): Verdict<void, ConflictDoesNotSignal> => {
  const conflict = conflicts.findIndex(({ inputs }) =>
    inputs.every(({ sequence }) => sequence > MAX_BIP125_RBF_SEQUENCE)
  )
  return conflict < 0 ? HOLDS : Result.fail(violation("POL-130", { conflict }))
}

/**
 * The feerate exceeds that of all that is removed together, by the factor. Precondition: sizes are positive.
 *
 * @spec POL-131 #53cbc88e
 */
export const rateIsExceeded = (own: FeeRate, removed: FeeRate, rateFactor: number): Verdict<void, RateNotExceeded> =>
  rateFactor === 0 ||
    own.fee * BigInt(removed.size) * 1000n > removed.fee * BigInt(own.size) * BigInt(rateFactor)
    ? HOLDS
    : Result.fail(violation("POL-131", { rateFactor }))

/**
 * The fee exceeds that of all that is removed together, by the bump.
 *
 * @spec POL-132 #0c209099
 */
export const bumpIsExceeded = (added: Sats, bump: Sats | undefined): Verdict<void, BumpNotExceeded> =>
  bump === undefined || added > bump ? HOLDS : Result.fail(violation("POL-132", { added, bump }))

/**
 * The spenders of no coin were replaced so often before.
 *
 * @spec POL-133 #49138203
 */
export const replacementsAreFew = (
  replacements: number,
  limit: number | undefined
): Verdict<void, ReplacedTooOften> =>
  limit === undefined || replacements < limit
    ? HOLDS
    : Result.fail(violation("POL-133", { replacements, limit }))

/**
 * The last replacement was long enough ago. `waited` is `undefined` if nothing was ever replaced.
 *
 * @spec POL-134 #c38d8bb9
 */
export const cooldownIsOver = (waited: number | undefined, cooldown: number): Verdict<void, ReplacedTooSoon> =>
  waited === undefined || waited >= cooldown ? HOLDS : Result.fail(violation("POL-134", { waited, cooldown }))

/**
 * Outputs that a replacement spends beside the inputs of its conflicts are confirmed. `confirmations` are the fewest of
 * those coins, 0 for one in the pool; `undefined` without such a coin.
 *
 * @spec POL-135 #6ed092f5
 */
export const addedInputsAreConfirmed = (
  confirmations: number | undefined,
  needed: number
): Verdict<void, AddsUnconfirmedInput> =>
  confirmations === undefined || confirmations >= needed
    ? HOLDS
    : Result.fail(violation("POL-135", { confirmations, needed }))
