import type { Crypto } from "@lockstep/kernel/crypto"
import type { Transaction, TransactionOutput } from "@lockstep/kernel/model"
import { type ScriptErrorName, type ScriptFailure, ScriptFlag, type ScriptFlags } from "@lockstep/kernel/script"
import { createMachine } from "@lockstep/kernel/machine"
import { verifyScript } from "@lockstep/kernel/interpreter"
import type { SpendDigests } from "@lockstep/kernel/sighash"
import * as Result from "effect/Result"

/** All policy rules beyond consensus, without which peers do not relay a transaction. */
const STANDARD: ScriptFlags = Object.values(ScriptFlag).reduce<number>((all, flag) => all | flag, 0) &
  ~ScriptFlag.SIGPUSHONLY

const nameOf = ({ detail }: ScriptFailure): ScriptErrorName => detail.error

/**
 * Returns the reason why an input is not satisfied, or `undefined`. Precondition: one spent output per input, and the
 * digests that they share.
 */
export const inputProblem = (
  tx: Transaction,
  inputIndex: number,
  spentOutputs: ReadonlyArray<TransactionOutput>,
  digests: SpendDigests,
  crypto: Crypto
): ScriptErrorName | undefined => {
  const verdict = verifyScript(createMachine(crypto), { tx, inputIndex, spentOutputs, digests, flags: STANDARD })
  return Result.isFailure(verdict) ? nameOf(verdict.failure) : undefined
}
