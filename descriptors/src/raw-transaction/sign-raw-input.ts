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

/** An output to spend. If `value` is `undefined`, no witness can be signed for it. */
export interface SpentOutput {
  readonly script: Uint8Array
  readonly value: bigint | undefined
}

/** Outputs to spend, one for each input; `undefined` if it does not exist or is spent. */
export type SpentOutputsGiven = ReadonlyArray<SpentOutput | undefined>

const MAX_MONEY = 2_100_000_000_000_000n

const asOutput = ({ script, value }: SpentOutput): TransactionOutput => ({ script, value: value ?? MAX_MONEY })

/**
 * Returns the data for signing each input. Taproot signatures cover all spent outputs, so these must all be known.
 * Precondition: the output of the input to be signed is known.
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

/** Reports whether the assembled data contains one of these signatures. */
const holdsOne = ({ script = NOTHING, witness = [] }: SignatureData, signatures: ReadonlyArray<string>): boolean => {
  const written = [hexOf(script), ...witness.map(hexOf)]
  return signatures.some((signature) => written.some((part) => part.includes(signature)))
}

/**
 * Returns an input with the assembled data. One that is not empty is changed only if the data spends the output, or
 * contains one of `signatures`.
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

/** Signs an input of a transaction with the available keys. An input that they cannot sign is unchanged. */
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
 * Combines one input of several versions of the transaction, with all their signatures; of two by one key the first is
 * used. Precondition: there is at least one version, and the versions differ only in their signatures.
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
