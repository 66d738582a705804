import { WITNESS_SCALE_FACTOR } from "@lockstep/kernel/constants"
import { transactionWeight } from "@lockstep/kernel/model"
import { adjustedWeight, DEFAULT_RELAY_POLICY, STANDARD_FLAGS, virtualSize } from "@lockstep/kernel/relay"
import { transactionSigOpCost } from "@lockstep/kernel/sigops"
import type { SignedPsbt } from "../sign/sign-input.ts"
import { countSize } from "./input-paths.ts"
import type { InputSpending } from "./input-spending.ts"

/** Bytes of the marker and the flag of a transaction with witnesses. */
const WITNESS_MARKER = 2

/**
 * Returns the virtual size of the transaction with the largest way to spend each input. Returns `undefined` if one is
 * not known. No listed way gives a larger transaction.
 */
export const largestVirtualSize = (
  { spentOutputs, tx }: SignedPsbt,
  inputs: ReadonlyArray<InputSpending | undefined>
): number | undefined => {
  if (spentOutputs === undefined) return undefined
  let [scripts, witnesses, withWitness] = [0, 0, false]
  for (const each of inputs) {
    if (each?.largest === undefined) return undefined
    const { script, witness } = each.largest
    scripts += script + countSize(script) - 1
    // An input without a witness still has a count of elements.
    witnesses += Math.max(1, witness)
    withWitness ||= witness > 0
  }
  const weight = transactionWeight(tx) + WITNESS_SCALE_FACTOR * scripts +
    (withWitness ? WITNESS_MARKER + witnesses : 0)
  const spent = { ...tx, inputs: tx.inputs.map((input, i) => ({ ...input, ...inputs[i]!.ending })) }
  const cost = transactionSigOpCost(spent, spentOutputs, STANDARD_FLAGS)
  return virtualSize(adjustedWeight(weight, cost, DEFAULT_RELAY_POLICY.bytesPerSigOp))
}
