import type { Crypto } from "@lockstep/kernel/crypto"
import { type TransactionOutput, transactionWeight } from "@lockstep/kernel/model"
import { adjustedWeight, DEFAULT_RELAY_POLICY, STANDARD_FLAGS, virtualSize } from "@lockstep/kernel/relay"
import { transactionSigOpCost } from "@lockstep/kernel/sigops"
import { isUnspendable } from "@lockstep/kernel/utxo"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import * as Effect from "effect/Effect"
import { isMoney } from "./money.ts"
import { finalTransaction } from "./psbt-transaction.ts"
import { isInputFinal, type SignedPsbt, signedPsbt, signInput } from "./sign/sign-input.ts"
import type { Missing } from "./sign/signature-data.ts"
import { emptyProvider } from "./sign/signing-provider.ts"
import { spentOutputOf } from "./sign/spent-output.ts"

/** Roles in the order of their work. */
const ROLES = ["creator", "updater", "signer", "finalizer", "extractor"] as const

export type Role = typeof ROLES[number]

export interface InputAnalysis {
  readonly hasUtxo: boolean
  readonly isFinal: boolean
  readonly next: Role
  readonly missing: Missing | undefined
}

export interface Analysis {
  readonly inputs: ReadonlyArray<InputAnalysis>
  readonly next: Role
  readonly virtualSize?: number
  readonly fee?: bigint
  readonly error?: string
}

const invalid = (error: string): Analysis => ({ inputs: [], next: "creator", error })

const isSigningAllThatIsMissing = ({ keys, redeemScript, signatures, witnessScript }: Missing): boolean =>
  keys.length === 0 && redeemScript === undefined && witnessScript === undefined && signatures.length > 0

const analyzeInput = (signed: SignedPsbt, index: number, output: TransactionOutput | undefined): InputAnalysis => {
  const hasUtxo = output !== undefined
  if (hasUtxo && isInputFinal(signed, index)) return { hasUtxo, isFinal: true, next: "extractor", missing: undefined }
  const options = { hashType: undefined, finalize: true }
  const { missing, outcome } = signInput(signed, index, emptyProvider(), options)
  if (outcome === "complete") return { hasUtxo, isFinal: false, next: "finalizer", missing: undefined }
  const next = missing !== undefined && isSigningAllThatIsMissing(missing) ? "signer" : "updater"
  return { hasUtxo, isFinal: false, next, missing }
}

/** Returns the sum of all outputs, or `undefined` if an amount is out of range. */
const paidBy = ({ outputs }: Psbt): bigint | undefined => {
  let total = 0n
  for (const { value } of outputs) {
    if (!isMoney(value) || !isMoney(total + value)) return undefined
    total += value
  }
  return total
}

/** Estimates the virtual size of the signed transaction. Returns `undefined` if it is not known. */
const estimatedSize = Effect.fnUntraced(function*(signed: SignedPsbt): Effect.fn.Return<number | undefined> {
  const { psbt, spentOutputs } = signed
  const options = { hashType: undefined, finalize: true, isDummy: true }
  for (const i of psbt.inputs.keys()) {
    if (signInput(signed, i, emptyProvider(), options).outcome !== "complete") return undefined
    yield* Effect.yieldNow
  }
  const tx = finalTransaction(psbt)!
  const cost = transactionSigOpCost(tx, spentOutputs!, STANDARD_FLAGS)
  return virtualSize(adjustedWeight(transactionWeight(tx), cost, DEFAULT_RELAY_POLICY.bytesPerSigOp))
})

/** Analyzes a PSBT: what it has, what is missing, and the role that works next. Modifies the given one. */
export const analyzePsbt = Effect.fnUntraced(function*(psbt: Psbt, crypto: Crypto): Effect.fn.Return<Analysis> {
  const signed = signedPsbt(psbt, crypto)
  if (signed === undefined) return invalid("PSBT cannot be made into a valid transaction")
  const inputs: Array<InputAnalysis> = []
  let total = 0n
  for (const [i, input] of psbt.inputs.entries()) {
    const output = spentOutputOf(input)
    const value = output?.value ?? 0n
    if (!isMoney(value) || !isMoney(total + value)) {
      return invalid(`PSBT is not valid. Input ${i} has invalid value`)
    }
    total += value
    if (output !== undefined && isUnspendable(output.script)) {
      return invalid(`PSBT is not valid. Input ${i} spends unspendable output`)
    }
    inputs.push(analyzeInput(signed, i, output))
    yield* Effect.yieldNow
  }
  const next = ROLES[inputs.reduce((least, input) => Math.min(least, ROLES.indexOf(input.next)), ROLES.length - 1)]!
  if (inputs.some(({ hasUtxo }) => !hasUtxo)) return { inputs, next }
  const paid = paidBy(psbt)
  if (paid === undefined) return invalid("PSBT is not valid. Output amount invalid")
  const size = yield* estimatedSize(signed)
  return { inputs, next, fee: total - paid, ...size !== undefined && { virtualSize: size } }
})
