import * as Result from "effect/Result"
import type { Transaction } from "../model/transaction.ts"
import { HOLDS, type Verdict, type Violation } from "../verdict.ts"
import type { FeeRate } from "./fee-rate.ts"
import {
  addedInputsAreConfirmed,
  bumpIsExceeded,
  conflictsSignal,
  cooldownIsOver,
  rateIsExceeded,
  replacementsAreFew,
  type ReplacementMode,
  type ReplacementTerms
} from "./replacement-terms.ts"

const NOTHING_MORE: ReplacementTerms = {
  allowed: true,
  packages: true,
  diagram: true,
  signalling: false,
  rateFactor: 0,
  bump: undefined,
  maxReplacements: undefined,
  cooldown: 0,
  confirmations: 0
}

const TERMS: Readonly<Record<ReplacementMode, ReplacementTerms>> = {
  disabled: { ...NOTHING_MORE, allowed: false, packages: false },
  conservative: {
    allowed: true,
    packages: false,
    diagram: true,
    signalling: true,
    rateFactor: 2000,
    bump: 5000n,
    maxReplacements: 3,
    cooldown: 300,
    confirmations: 1
  },
  standard: NOTHING_MORE,
  aggressive: {
    allowed: true,
    packages: true,
    diagram: false,
    signalling: false,
    rateFactor: 1050,
    bump: 500n,
    maxReplacements: 10,
    cooldown: 60,
    confirmations: 0
  }
}

/**
 * The terms of a mode: choosing it sets every one of them.
 *
 * @spec POL-137 #2c4102be
 */
export const replacementTerms = (mode: ReplacementMode): ReplacementTerms => TERMS[mode]

/** Facts that the terms depend on: sums over all removed transactions, and the pool's records of the conflicts. */
export interface TermsFacts {
  readonly conflicts: ReadonlyArray<Transaction>
  /** Modified fee and size of the replacement. */
  readonly own: FeeRate
  /** Sum of the modified fees and sizes of what is removed, descendants included. */
  readonly removed: FeeRate
  readonly replacements: number
  readonly waited: number | undefined
  readonly confirmations: number | undefined
}

/**
 * Checks a replacement by the terms of a mode, in addition to POL-114. A transaction without conflicts is not a
 * replacement.
 *
 * @spec POL-136 #5ec8e4ad
 */
export const checkTerms = (facts: TermsFacts, terms: ReplacementTerms): Verdict<void, Violation> => {
  const signal = terms.signalling ? conflictsSignal(facts.conflicts) : HOLDS
  if (Result.isFailure(signal)) return signal
  const confirmed = addedInputsAreConfirmed(facts.confirmations, terms.confirmations)
  if (Result.isFailure(confirmed)) return confirmed
  const few = replacementsAreFew(facts.replacements, terms.maxReplacements)
  if (Result.isFailure(few)) return few
  const cool = cooldownIsOver(facts.waited, terms.cooldown)
  if (Result.isFailure(cool)) return cool
  const rate = rateIsExceeded(facts.own, facts.removed, terms.rateFactor)
  return Result.isFailure(rate) ? rate : bumpIsExceeded(facts.own.fee - facts.removed.fee, terms.bump)
}
