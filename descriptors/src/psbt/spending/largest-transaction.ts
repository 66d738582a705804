import { WITNESS_SCALE_FACTOR } from "@lockstep/kernel/constants"
import { transactionWeight } from "@lockstep/kernel/model"
import { adjustedWeight, DEFAULT_RELAY_POLICY, STANDARD_FLAGS, virtualSize } from "@lockstep/kernel/relay"
import { transactionSigOpCost } from "@lockstep/kernel/sigops"
import type { SignedPsbt } from "../sign/sign-input.ts"
import { countSize } from "./input-paths.ts"
import type { InputSpending } from "./input-spending.ts"

/** The marker and the flag of a transaction with witnesses. */
const WITNESS_MARKER = 2

/**
 * The virtual size of the transaction when each input is spent in its largest way; none: not all is known. No way that is listed
 * leads to a larger one.
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
    // An input without a witness still has the count of its elements.
    witnesses += Math.max(1, witness)
    withWitness ||= witness > 0
  }
  const weight = transactionWeight(tx) + WITNESS_SCALE_FACTOR * scripts +
    (withWitness ? WITNESS_MARKER + witnesses : 0)
  const spent = { ...tx, inputs: tx.inputs.map((input, i) => ({ ...input, ...inputs[i]!.ending })) }
  const cost = transactionSigOpCost(spent, spentOutputs, STANDARD_FLAGS)
  return virtualSize(adjustedWeight(weight, cost, DEFAULT_RELAY_POLICY.bytesPerSigOp))
}
