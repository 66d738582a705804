import * as Result from "effect/Result"
import type { ScriptFailure } from "../script/fault.ts"
import type { Machine } from "../script/machine.ts"
import { verifyScript } from "../script/verify-script.ts"
import { spendDigests } from "../sighash/digests.ts"
import { HOLDS, type Verdict } from "../verdict.ts"
import type { ScriptJob } from "./collect.ts"

/**
 * Judges the scripts of one transaction, input by input; the first that fails is the verdict. Needs nothing but the job and
 * a machine of the caller's own, so jobs may be judged anywhere and in any order.
 *
 * @spec UTX-010 #9920971a
 */
export const judgeScripts = (m: Machine, job: ScriptJob): Verdict<void, ScriptFailure> => {
  const { coins, flags, tx } = job
  const digests = spendDigests(tx, coins, m.crypto, m.scratch)
  for (let inputIndex = 0; inputIndex < tx.inputs.length; inputIndex++) {
    const verdict = verifyScript(m, { tx, inputIndex, spentOutputs: coins, digests, flags })
    if (Result.isFailure(verdict)) return verdict
  }
  return HOLDS
}
