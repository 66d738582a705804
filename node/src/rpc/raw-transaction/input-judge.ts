import type { Crypto } from "@lockstep/kernel/crypto/crypto.ts"
import type { Transaction, TransactionOutput } from "@lockstep/kernel/model/transaction.ts"
import { type ScriptFailure } from "@lockstep/kernel/script/fault.ts"
import { ScriptFlag, type ScriptFlags } from "@lockstep/kernel/script/flags.ts"
import { createMachine } from "@lockstep/kernel/script/machine.ts"
import type { ScriptErrorName } from "@lockstep/kernel/script/script-error.ts"
import { verifyScript } from "@lockstep/kernel/script/verify-script.ts"
import { spendDigests } from "@lockstep/kernel/sighash/digests.ts"
import * as Result from "effect/Result"

/** All rules that are more than consensus but without which nobody passes a transaction on. */
const STANDARD: ScriptFlags = Object.values(ScriptFlag).reduce<number>((all, flag) => all | flag, 0) & ~ScriptFlag.SIGPUSHONLY

const nameOf = ({ detail }: ScriptFailure): ScriptErrorName => detail.error

/** Why an input is not satisfied; none: it is. Precondition: one spent output per input. */
export const inputProblem = (
  tx: Transaction,
  inputIndex: number,
  spentOutputs: ReadonlyArray<TransactionOutput>,
  crypto: Crypto
): ScriptErrorName | undefined => {
  const digests = spendDigests(tx, spentOutputs, crypto)
  const verdict = verifyScript(createMachine(crypto), { tx, inputIndex, spentOutputs, digests, flags: STANDARD })
  return Result.isFailure(verdict) ? nameOf(verdict.failure) : undefined
}
