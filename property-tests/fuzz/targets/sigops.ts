import { transactionSigOpCost } from "@lockstep/kernel/internal/sigops/cost.ts"
import { scriptSigOps } from "@lockstep/kernel/internal/sigops/script.ts"
import * as oracle from "../../src/oracles/sigops.ts"
import type { NaiveSpend } from "../../src/oracles/spend.ts"
import { flagBits, kernelTransaction } from "../../src/subject/kernel.ts"
import { mutateSpend } from "../mutate/spend.ts"
import { difference } from "../run/difference.ts"
import { isSpend } from "./spend-input.ts"
import type { Target } from "../target.ts"

/** Signature operations of edited spends: of each script both ways, of the transaction. */
export const sigOpsTarget: Target<NaiveSpend> = {
  name: "sigops",
  about: "signature operations counted",
  generate: (random, { spends }) => mutateSpend(random.pick(spends), random, random.pick(spends)),
  isInput: isSpend,
  judge: ({ tx, spent, flags }) => {
    for (const { script } of [...tx.inputs, ...spent]) {
      const wrong = difference("accurate count", scriptSigOps(script, true), oracle.sigOps(script, true)) ??
        difference("count", scriptSigOps(script, false), oracle.sigOps(script, false))
      if (wrong !== undefined) return wrong
    }
    return difference(
      "cost",
      transactionSigOpCost(kernelTransaction(tx), spent, flagBits(flags)),
      oracle.sigOpCost(tx, spent, flags)
    )
  }
}
