import * as Result from "effect/Result"
import type { InputFailure } from "../script/fault.ts"
import type { Machine } from "../machine/machine.ts"
import { verifyScript } from "../interpreter/verify-script.ts"
import { spendDigests } from "../sighash/digests.ts"
import { HOLDS, type Verdict, violation } from "../verdict.ts"
import type { ScriptJob } from "./collect.ts"

/**
 * Judges the scripts of one transaction, input by input; the first that fails is the verdict. Needs nothing but the job
 * and a machine of the caller's own, so jobs may be judged anywhere and in any order.
 *
 * @spec UTX-010 #9920971a
 */
export const judgeScripts = (m: Machine, job: ScriptJob): Verdict<void, InputFailure> => {
  const { coins, flags, tx } = job
  const digests = spendDigests(tx, coins, m.crypto, m.scratch)
  for (let inputIndex = 0; inputIndex < tx.inputs.length; inputIndex++) {
    const verdict = verifyScript(m, { tx, inputIndex, spentOutputs: coins, digests, flags })
    if (Result.isSuccess(verdict)) continue
    const { detail: { error }, rule } = verdict.failure
    return Result.fail(violation(rule, { error, input: inputIndex }))
  }
  return HOLDS
}
