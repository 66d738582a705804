import type { Crypto } from "@lockstep/kernel/crypto"
import type { Transaction, TransactionInput, TransactionOutput } from "@lockstep/kernel/model"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { sharedDigests } from "../signing/input-digests.ts"
import { produceSignature } from "../psbt/sign/produce-signature.ts"
import { signatureCreator, type SpendToSign } from "../psbt/sign/signature-creator.ts"
import type { SignatureData } from "../psbt/sign/signature-data.ts"
import { emptyProvider, type SigningProvider } from "../psbt/sign/signing-provider.ts"
import { addMissing } from "@lockstep/protocol/psbt/sort-keys.ts"
import { dataOfSpending } from "./input-data.ts"

/** An output to spend. `value` none: it is not known, so no witness can be signed for it. */
export interface SpentOutput {
  readonly script: Uint8Array
  readonly value: bigint | undefined
}

/** Outputs to spend, one for each input; none: it does not exist, or is spent. */
export type SpentOutputsGiven = ReadonlyArray<SpentOutput | undefined>

const MAX_MONEY = 2_100_000_000_000_000n

const asOutput = ({ script, value }: SpentOutput): TransactionOutput => ({ script, value: value ?? MAX_MONEY })

/**
 * What each input spends. Signatures of taproot cover all outputs that are spent, so they take that all are known.
 * Precondition: what the input is asked for spends is known.
 */
export const spendsOf = (
  tx: Transaction,
  given: SpentOutputsGiven,
  crypto: Crypto
): (index: number) => SpendToSign => {
  const known = given.flatMap((each) => each === undefined ? [] : asOutput(each))
  const spentOutputs = known.length === given.length ? known : undefined
  const digests = sharedDigests(tx, spentOutputs, crypto)
  return (index) => ({ tx, index, output: asOutput(given[index]!), spentOutputs, digests })
}

const NOTHING = new Uint8Array(0)

const isEmpty = ({ script, witness }: TransactionInput): boolean => script.length === 0 && witness.length === 0

/** Whether one of some signatures is part of what was put together. */
const holdsOne = ({ script = NOTHING, witness = [] }: SignatureData, signatures: ReadonlyArray<string>): boolean => {
  const written = [hexOf(script), ...witness.map(hexOf)]
  return signatures.some((signature) => written.some((part) => part.includes(signature)))
}

/**
 * An input with what was put together. One that has something already is changed only for what spends the output, or for
 * one of `signatures`.
 */
const written = (
  input: TransactionInput,
  data: SignatureData,
  signatures: ReadonlyArray<string>
): TransactionInput => {
  if (!data.isComplete && !isEmpty(input) && !holdsOne(data, signatures)) return input
  return { ...input, script: data.script ?? NOTHING, witness: data.witness ?? [] }
}

const signaturesIn = ({ signatures }: SignatureData): ReadonlyArray<string> =>
  [...signatures.values()].map(({ signature }) => hexOf(signature))

const SIGHASH_ALL = 1
const SIGHASH_SINGLE = 3
const ANYONECANPAY = 0x80

/** Signs an input of a transaction with the keys there are. An input that they cannot sign stays as it is. */
export const signRawInput = (
  spend: SpendToSign,
  provider: SigningProvider,
  hashType: number,
  crypto: Crypto
): TransactionInput => {
  const { index, output, tx } = spend
  const input = tx.inputs[index]!
  if ((hashType & ~ANYONECANPAY) === SIGHASH_SINGLE && index >= tx.outputs.length) return input
  const data = dataOfSpending(spend, input, crypto)
  if (data.isComplete) return input
  const before = new Set(signaturesIn(data))
  produceSignature(output.script, { provider, creator: signatureCreator(spend, hashType, crypto), data, crypto })
  return written(input, data, signaturesIn(data).filter((signature) => !before.has(signature)))
}

/**
 * One input of several versions of the transaction that spends, with all their signatures: of two by one key the first one. Precondition:
 * there is one version at least, and the versions differ in their signatures alone.
 */
export const combineRawInput = (
  versions: ReadonlyArray<Transaction>,
  spend: SpendToSign,
  crypto: Crypto
): TransactionInput => {
  const { index } = spend
  const inputs = versions.flatMap((version) => version.inputs[index] ?? [])
  const all = inputs.map((input) => dataOfSpending(spend, input, crypto))
  const whole = all.findIndex(({ isComplete }) => isComplete)
  if (whole >= 0) return inputs[whole]!
  const [data, ...others] = all
  for (const other of others) {
    data!.redeemScript ??= other.redeemScript
    data!.witnessScript ??= other.witnessScript
    addMissing(data!.signatures, other.signatures)
  }
  const creator = signatureCreator(spend, SIGHASH_ALL, crypto)
  produceSignature(spend.output.script, { provider: emptyProvider(), creator, data: data!, crypto })
  return written(inputs.find((each) => !isEmpty(each)) ?? inputs[0]!, data!, signaturesIn(data!))
}
