import type { Crypto } from "@lockstep/kernel/crypto"
import type { TransactionOutput } from "@lockstep/kernel/model"
import type { Psbt, PsbtInput } from "@lockstep/protocol/psbt/psbt.ts"
import { scriptKind } from "../../script-text/script-kind.ts"
import { sharedDigests } from "../../signing/input-digests.ts"
import { unsignedTransaction } from "../psbt-transaction.ts"
import { produceSignature } from "./produce-signature.ts"
import { dataOfInput, dataOfOutput, fillInput, fillOutput, type Missing } from "./signature-data.ts"
import { dummySignatures, isSpentBy, noSignatures, signatureCreator, type SpendToSign } from "./signature-creator.ts"
import type { SigningProvider } from "./signing-provider.ts"
import { spentOutputOf } from "./spent-output.ts"

/** Result of signing an input. */
export interface SignedInput {
  readonly outcome: "complete" | "incomplete" | "missing output" | "sighash mismatch"
  readonly missing: Missing | undefined
}

/** A partially signed transaction while its inputs are signed. */
export interface SignedPsbt {
  readonly psbt: Psbt
  readonly tx: SpendToSign["tx"]
  /** `undefined` unless all are known. */
  readonly spentOutputs: ReadonlyArray<TransactionOutput> | undefined
  readonly digests: SpendToSign["digests"]
  readonly crypto: Crypto
}

/** Opens a PSBT for signing. Returns `undefined` if the inputs cannot have a common lock time. */
export const signedPsbt = (psbt: Psbt, crypto: Crypto): SignedPsbt | undefined => {
  const tx = unsignedTransaction(psbt)
  if (tx === undefined) return undefined
  const outputs = psbt.inputs.flatMap((input) => spentOutputOf(input) ?? [])
  const spentOutputs = outputs.length === psbt.inputs.length ? outputs : undefined
  return { psbt, tx, crypto, spentOutputs, digests: sharedDigests(tx, spentOutputs, crypto) }
}

const spendOf = (
  { digests, spentOutputs, tx }: SignedPsbt,
  index: number,
  output: TransactionOutput
): SpendToSign => ({ tx, index, output, spentOutputs, digests })

const NOTHING = new Uint8Array(0)

/** Reports whether an input has the final script and witness that spend its output. */
export const isInputFinal = (signed: SignedPsbt, index: number): boolean => {
  const input = signed.psbt.inputs[index]!
  const output = spentOutputOf(input)
  return output !== undefined &&
    isSpentBy(spendOf(signed, index, output), input.finalScript ?? NOTHING, input.finalWitness ?? [], signed.crypto)
}

const SIGHASH_ALL = 1

const isTaproot = ({ script }: TransactionOutput): boolean => scriptKind(script).type === "witness_v1_taproot"

/** Reports whether an input has signatures of another hash type. */
const hasOtherSignatures = (input: PsbtInput, hashType: number): boolean => {
  const schnorr = [...input.taprootScriptSignatures.values()].map(({ signature }) => signature)
  if (input.taprootKeySignature !== undefined) schnorr.push(input.taprootKeySignature)
  if (hashType === 0) return schnorr.some(({ length }) => length !== 64)
  return schnorr.some((signature) => signature.length !== 65 || signature[64] !== hashType) ||
    [...input.partialSignatures.values()].some(({ signature }) => signature.at(-1) !== hashType)
}

/**
 * Returns the hash type for an input: the requested one, or the usual one. If the input names an unusual type, that
 * must be requested, or nothing is signed.
 */
const hashTypeFor = (
  input: PsbtInput,
  output: TransactionOutput,
  wanted: number | undefined
): number | undefined => {
  const usual = isTaproot(output) ? 0 : SIGHASH_ALL
  const hashType = wanted ?? usual
  if (input.sighashType !== undefined && input.sighashType !== hashType) return undefined
  if (isTaproot(output) ? hashType !== 0 : hashType !== 0 && hashType !== SIGHASH_ALL) input.sighashType = hashType
  return hasOtherSignatures(input, hashType) ? undefined : hashType
}

/** Options for signing an input. */
export interface SignOptions {
  readonly hashType: number | undefined
  /** True if the final script and witness replace the data that they are built from. */
  readonly finalize: boolean
  /** True if dummy signatures are used to determine sizes. */
  readonly isDummy?: boolean
}

/** Adds to an input the data of a provider, and signatures of its keys. */
export const signInput = (
  signed: SignedPsbt,
  index: number,
  provider: SigningProvider,
  { finalize, hashType: wanted, isDummy = false }: SignOptions
): SignedInput => {
  const { crypto, psbt } = signed
  const judged = isDummy ? { ...signed, spentOutputs: undefined } : signed
  if (isInputFinal(judged, index)) return { outcome: "complete", missing: undefined }
  const input = psbt.inputs[index]!
  const output = spentOutputOf(input)
  if (output === undefined) return { outcome: "missing output", missing: undefined }
  const hashType = hashTypeFor(input, output, wanted)
  if (hashType === undefined) return { outcome: "sighash mismatch", missing: undefined }
  const data = dataOfInput(input)
  const creator = isDummy ? dummySignatures : signatureCreator(spendOf(signed, index, output), hashType, crypto)
  const isComplete = produceSignature(output.script, { provider, creator, data, crypto })
  // A witness UTXO is an unproven claim about the output: only a witness signature covers it.
  if (input.nonWitnessUtxo === undefined && !data.isWitness) return { outcome: "incomplete", missing: undefined }
  if (!finalize) data.isComplete = false
  fillInput(input, data)
  if (data.isWitness) input.witnessUtxo = output
  return { outcome: isComplete ? "complete" : "incomplete", missing: data.missing }
}

/** Adds to an output the data that a provider has about its script. */
export const updateOutput = (psbt: Psbt, index: number, provider: SigningProvider, crypto: Crypto): void => {
  const output = psbt.outputs[index]!
  const data = dataOfOutput(output, crypto)
  produceSignature(output.script, { provider, creator: noSignatures, data, crypto })
  fillOutput(output, data)
}
