import * as Result from "effect/Result"
import type { HeaderNode } from "../chain/header-node.ts"
import type { Machine } from "../machine/machine.ts"
import type { Transaction } from "../model/transaction.ts"
import { transactionWeight } from "../model/weight.ts"
import type { Sats, Weight } from "../quantities.ts"
import { ScriptFlag } from "../script/flags.ts"
import { transactionSigOpCost } from "../sigops/cost.ts"
import { checkInputs } from "../tx/check-inputs.ts"
import { checkTransaction } from "../tx/check-transaction.ts"
import { sequenceLocks } from "../tx/sequence-locks.ts"
import type { Coin } from "../utxo/coin.ts"
import { HOLDS, type Verdict, type Violation } from "../verdict.ts"
import { dustOutputs, dustPaysNoFee } from "./dust.ts"
import { type FeeRate, modifiedFee } from "./fee-rate.ts"
import { checkInputForms } from "./input-forms.ts"
import { checkFee } from "./minimum-fee.ts"
import { isFinalOnTip, sequenceLocksPassOnTip } from "./next-block.ts"
import type { RelayPolicy } from "./relay-policy.ts"
import { sigOpCostIsStandard } from "./sigop-cost.ts"
import { checkStandard, isNoLooseCoinbase, strippedSizeIsStandard } from "./standard.ts"
import { adjustedWeight, virtualSize } from "./virtual-size.ts"
import { checkWitnessLimits } from "./witness-limits.ts"

/** Fee and size of a transaction, as all later rules count them. */
export interface Appraisal {
  readonly fee: Sats
  /** With what the operator added. */
  readonly modifiedFee: Sats
  readonly weight: Weight
  readonly sigOpCost: number
  /** Weight, or that of the signature operations if it is greater. */
  readonly adjustedWeight: Weight
  /** Virtual bytes of the adjusted weight. */
  readonly size: number
  /** Indexes of outputs that are dust. */
  readonly dust: ReadonlyArray<number>
}

/** Circumstances of a submission. */
export interface Admission {
  /** Minimum feerate of the pool; a feerate of 0 requires no fee. */
  readonly rollingMinimum: FeeRate
  /** True if the transaction comes back from a block that was disconnected, so that no fee is required. */
  readonly bypassLimits: boolean
  /** True if the fee of its package is judged instead of its own. */
  readonly packageFees: boolean
}

/**
 * Checks a transaction before any coin is looked up: the transaction alone, its form, its lock time.
 *
 * @spec POL-150 #28c26a96
 */
export const checkBeforeCoins = (
  tx: Transaction,
  tip: HeaderNode,
  policy: RelayPolicy
): Verdict<void, Violation> => {
  const itself = checkTransaction(tx)
  if (Result.isFailure(itself)) return itself
  const loose = isNoLooseCoinbase(tx)
  if (Result.isFailure(loose)) return loose
  const standard = policy.requireStandard ? checkStandard(tx, policy) : HOLDS
  if (Result.isFailure(standard)) return standard
  const size = strippedSizeIsStandard(tx)
  return Result.isFailure(size) ? size : isFinalOnTip(tx, tip)
}

/**
 * With the coins: relative locks, values, and whether the inputs are of a form that is relayed; yields the fee.
 * Precondition: POL-150, and one coin per input, those of the pool at the height of the block on top of `tip`.
 *
 * @spec POL-151 #15964da0
 */
export const checkWithCoins = (
  m: Machine,
  tx: Transaction,
  coins: ReadonlyArray<Coin>,
  tip: HeaderNode,
  policy: RelayPolicy
): Verdict<Sats, Violation> => {
  const unlocked = sequenceLocksPassOnTip(sequenceLocks(tx, coins, tip), tip)
  if (Result.isFailure(unlocked)) return Result.fail(unlocked.failure)
  const fee = checkInputs(tx, coins, tip.height + 1)
  if (Result.isFailure(fee) || !policy.requireStandard) return fee
  const forms = checkInputForms(m, tx, coins)
  if (Result.isFailure(forms)) return Result.fail(forms.failure)
  const limits = checkWitnessLimits(m, tx, coins)
  return Result.isFailure(limits) ? Result.fail(limits.failure) : fee
}

/**
 * Returns the fee and size of a transaction. Precondition: POL-151 has yielded `fee`; `delta` is the operator's
 * addition to it.
 *
 * @spec POL-152 #11d1904a
 */
export const appraise = (
  tx: Transaction,
  coins: ReadonlyArray<Coin>,
  fee: Sats,
  delta: Sats,
  policy: RelayPolicy
): Appraisal => {
  const weight = transactionWeight(tx)
  const sigOpCost = transactionSigOpCost(tx, coins, ScriptFlag.P2SH | ScriptFlag.WITNESS)
  const adjusted = adjustedWeight(weight, sigOpCost, policy.bytesPerSigOp)
  return {
    fee,
    modifiedFee: modifiedFee(fee, delta),
    weight,
    sigOpCost,
    adjustedWeight: adjusted,
    size: virtualSize(adjusted),
    dust: dustOutputs(tx, policy.dustRelayFee)
  }
}

/**
 * A transaction does not use too much, and pays for what it uses.
 *
 * @spec POL-153 #96a4a049
 */
export const checkAppraisal = (
  appraisal: Appraisal,
  admission: Admission,
  policy: RelayPolicy
): Verdict<void, Violation> => {
  const { dust, fee, modifiedFee: paid, sigOpCost, size } = appraisal
  const free = policy.requireStandard ? dustPaysNoFee(dust.length, fee, paid) : HOLDS
  if (Result.isFailure(free)) return free
  const few = sigOpCostIsStandard(sigOpCost)
  if (Result.isFailure(few)) return few
  return admission.bypassLimits || admission.packageFees
    ? HOLDS
    : checkFee(paid, size, admission.rollingMinimum, policy.minRelayFee)
}
