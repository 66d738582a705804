import type { Crypto } from "@lockstep/kernel/crypto"
import { type Transaction, type TransactionInput, transactionOf } from "@lockstep/kernel/model"
import type { ScriptErrorName } from "@lockstep/kernel/script"
import { SCRIPT_ERROR_TEXTS } from "@lockstep/protocol/rejection/script-error-text.ts"
import * as Effect from "effect/Effect"
import { outputsOf, type SpendToSign } from "../psbt/sign/signature-creator.ts"
import type { SigningProvider } from "../psbt/sign/signing-provider.ts"
import { inputProblem } from "../signing/input-judge.ts"
import { signRawInput, spendsOf, type SpentOutputsGiven } from "./sign-raw-input.ts"

/** The error of a witness input whose prevout has no amount. */
export const MISSING_AMOUNT = "Missing amount"

/** An unsatisfied input and the reason. */
export interface InputFault {
  readonly index: number
  readonly input: TransactionInput
  readonly error: string
}

const TEXTS: Readonly<Partial<Record<ScriptErrorName, string>>> = {
  INVALID_STACK_OPERATION: "Unable to sign input, invalid stack size (possibly missing key)",
  NULLFAIL: "CHECK(MULTI)SIG failing with non-zero signature (possibly need more signatures)"
}

const errorOf = (
  tx: Transaction,
  index: number,
  given: SpentOutputsGiven,
  spendAt: (index: number) => SpendToSign,
  crypto: Crypto
): string | undefined => {
  const spent = given[index]
  if (spent === undefined) return "Input not found or already spent"
  if (spent.value === undefined && tx.inputs[index]!.witness.length > 0) return MISSING_AMOUNT
  const spend = spendAt(index)
  const problem = inputProblem(tx, index, outputsOf(spend), spend.digests, crypto)
  // As in Bitcoin Core: the data that a taproot signature covers is not known.
  if (problem === "SCHNORR_SIG" && spend.spentOutputs === undefined) return SCRIPT_ERROR_TEXTS.SCHNORR_SIG_HASHTYPE
  return problem && (TEXTS[problem] ?? SCRIPT_ERROR_TEXTS[problem])
}

/** Signs the inputs of a transaction that can be signed, one at a time. It yields to the event loop in between. */
export const signRawTransaction = Effect.fnUntraced(function*(
  tx: Transaction,
  given: SpentOutputsGiven,
  provider: SigningProvider,
  hashType: number,
  crypto: Crypto
): Effect.fn.Return<{ readonly tx: Transaction; readonly faults: ReadonlyArray<InputFault> }> {
  const inputs: Array<TransactionInput> = []
  const spendAt = spendsOf(tx, given, crypto)
  for (const [i, input] of tx.inputs.entries()) {
    inputs.push(given[i] === undefined ? input : signRawInput(spendAt(i), provider, hashType, crypto))
    yield* Effect.yieldNow
  }
  const signed = transactionOf({ version: tx.version, inputs, outputs: tx.outputs, lockTime: tx.lockTime })
  const faults: Array<InputFault> = []
  for (const [index, input] of signed.inputs.entries()) {
    const error = errorOf(signed, index, given, spendAt, crypto)
    if (error !== undefined) faults.push({ index, input, error })
    yield* Effect.yieldNow
  }
  return { tx: signed, faults }
})
