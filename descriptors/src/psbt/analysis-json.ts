import { feePerKilobyte } from "@lockstep/kernel/relay"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { Analysis, InputAnalysis } from "./analyze-psbt.ts"
import type { Missing } from "./sign/signature-data.ts"

const some = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> | undefined => all.length === 0 ? undefined : all

const missingJson = ({ keys, redeemScript, signatures, witnessScript }: Missing) => {
  const isAll = keys.length === 0 && signatures.length === 0 && (redeemScript ?? witnessScript) === undefined
  return isAll ? undefined : {
    pubkeys: some(keys.map(hexOf)),
    redeemscript: redeemScript && hexOf(redeemScript),
    witnessscript: witnessScript && hexOf(witnessScript),
    signatures: some(signatures.map(hexOf))
  }
}

const inputJson = ({ hasUtxo, isFinal, missing, next }: InputAnalysis) => ({
  has_utxo: hasUtxo,
  is_final: isFinal,
  next,
  missing: missing && missingJson(missing)
})

/** Formats an analysis as the answer of `analyzepsbt`. `amount` formats satoshis. */
export const analysisJson = <A>(
  { error, fee, inputs, next, virtualSize: size }: Analysis,
  amount: (satoshis: bigint) => A
) => ({
  inputs: some(inputs.map(inputJson)),
  estimated_vsize: size,
  estimated_feerate: size === undefined ? undefined : amount(feePerKilobyte({ fee: fee!, size })),
  fee: fee === undefined ? undefined : amount(fee),
  next,
  error
})
