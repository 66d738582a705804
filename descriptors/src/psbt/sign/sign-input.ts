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

/** What became of an input. */
export interface SignedInput {
  readonly outcome: "complete" | "incomplete" | "missing output" | "sighash mismatch"
  readonly missing: Missing | undefined
}

/** A partially signed transaction while its inputs are signed. */
export interface SignedPsbt {
  readonly psbt: Psbt
  readonly tx: SpendToSign["tx"]
  /** None: not all are known. */
  readonly spentOutputs: ReadonlyArray<TransactionOutput> | undefined
  readonly digests: SpendToSign["digests"]
  readonly crypto: Crypto
}

/** None: the inputs cannot have one lock time. */
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

/** Whether an input has what finally spends its output. */
export const isInputFinal = (signed: SignedPsbt, index: number): boolean => {
  const input = signed.psbt.inputs[index]!
  const output = spentOutputOf(input)
  return output !== undefined &&
    isSpentBy(spendOf(signed, index, output), input.finalScript ?? NOTHING, input.finalWitness ?? [], signed.crypto)
}

const SIGHASH_ALL = 1

const isTaproot = ({ script }: TransactionOutput): boolean => scriptKind(script).type === "witness_v1_taproot"

/** Whether the signatures of an input are of another hash type. */
const hasOtherSignatures = (input: PsbtInput, hashType: number): boolean => {
  const schnorr = [...input.taprootScriptSignatures.values()].map(({ signature }) => signature)
  if (input.taprootKeySignature !== undefined) schnorr.push(input.taprootKeySignature)
  if (hashType === 0) return schnorr.some(({ length }) => length !== 64)
  return schnorr.some((signature) => signature.length !== 65 || signature[64] !== hashType) ||
    [...input.partialSignatures.values()].some(({ signature }) => signature.at(-1) !== hashType)
}

/**
 * The hash type to sign an input with: the one that is wanted, or the usual one. A type that is not usual must be
 * wanted, or nothing is signed.
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

/** How an input is to be signed. */
export interface SignOptions {
  readonly hashType: number | undefined
  /** Whether what spends the output takes the place of what leads there. */
  readonly finalize: boolean
  /** Whether signatures are made up, to know their size. */
  readonly isDummy?: boolean
}

/** Adds to an input what a provider knows, and signatures of the keys it has. */
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
  // What a witness UTXO says of an output is not proved: only a signature of a witness covers it.
  if (input.nonWitnessUtxo === undefined && !data.isWitness) return { outcome: "incomplete", missing: undefined }
  if (!finalize) data.isComplete = false
  fillInput(input, data)
  if (data.isWitness) input.witnessUtxo = output
  return { outcome: isComplete ? "complete" : "incomplete", missing: data.missing }
}

/** Adds to an output what a provider knows of its script. */
export const updateOutput = (psbt: Psbt, index: number, provider: SigningProvider, crypto: Crypto): void => {
  const output = psbt.outputs[index]!
  const data = dataOfOutput(output, crypto)
  produceSignature(output.script, { provider, creator: noSignatures, data, crypto })
  fillOutput(output, data)
}
