import * as Result from "effect/Result"
import { bytesEqual } from "../bytes/equal.ts"
import { compactSizeLength } from "../bytes/compact-size.ts"
import type { Hash, Sats } from "../quantities.ts"
import type { Transaction, TransactionOutput } from "../model/transaction.ts"
import { witnessProgram } from "../script/witness-program.ts"
import { isUnspendable } from "../utxo/spendable.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { DUST_SPEND_SIZE, DUST_WITNESS_SPEND_SIZE, MAX_DUST_OUTPUTS_PER_TX } from "./constants.ts"
import { type FeeRate, feeForSize } from "./fee-rate.ts"

export type TooMuchDust = Violation<"POL-040", { readonly count: number }>
export type DustPaysFee = Violation<"POL-080", { readonly fee: Sats; readonly modifiedFee: Sats }>
export type ParentDustIsLeft = Violation<"POL-081", { readonly parent: Hash; readonly vout: number }>

/** An unconfirmed parent, in the pool or earlier in the package, with the indexes of its outputs that are dust. */
export interface DustyParent {
  readonly txid: Hash
  readonly dust: ReadonlyArray<number>
}

/**
 * The least value that makes an output worth its own spending at `rate`: what the bytes of the output and of an input
 * that spends it cost. Nothing for an output that cannot be spent.
 *
 * @spec POL-038 #df20f16d
 */
export const dustThreshold = (output: TransactionOutput, rate: FeeRate): Sats => {
  const { script } = output
  if (isUnspendable(script)) return 0n
  const size = 8 + compactSizeLength(script.length) + script.length
  return feeForSize(rate, size + (witnessProgram(script) === undefined ? DUST_SPEND_SIZE : DUST_WITNESS_SPEND_SIZE))
}

/**
 * Indexes of the outputs whose value is below their threshold.
 *
 * @spec POL-039 #f6f06566
 */
export const dustOutputs = (tx: Transaction, rate: FeeRate): ReadonlyArray<number> =>
  tx.outputs.flatMap((output, i) => output.value < dustThreshold(output, rate) ? [i] : [])

/**
 * A transaction has at most one output that is dust.
 *
 * @spec POL-040 #dc219a2e
 */
export const dustIsSingle = (count: number): Verdict<void, TooMuchDust> =>
  count > MAX_DUST_OUTPUTS_PER_TX ? Result.fail(violation("POL-040", { count })) : HOLDS

/**
 * Ephemeral dust: a transaction with dust pays no fee, neither its own nor one that the operator added. No miner wants
 * it without the child that spends its dust.
 *
 * @spec POL-080 #87a6b32f
 */
export const dustPaysNoFee = (count: number, fee: Sats, modifiedFee: Sats): Verdict<void, DustPaysFee> =>
  count > 0 && (fee !== 0n || modifiedFee !== 0n) ? Result.fail(violation("POL-080", { fee, modifiedFee })) : HOLDS

/**
 * Who spends from an unconfirmed parent spends every output of it that is dust.
 *
 * @spec POL-081 #10842e9c
 */
export const parentDustIsSpent = (
  tx: Transaction,
  parents: ReadonlyArray<DustyParent>
): Verdict<void, ParentDustIsLeft> => {
  for (const { dust, txid } of parents) {
    for (const vout of dust) {
      const spent = tx.inputs.some(({ prevout }) => prevout.vout === vout && bytesEqual(prevout.txid, txid))
      if (!spent) return Result.fail(violation("POL-081", { parent: txid, vout }))
    }
  }
  return HOLDS
}
