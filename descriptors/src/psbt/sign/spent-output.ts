import type { TransactionOutput } from "@lockstep/kernel/model"
import type { PsbtInput } from "@lockstep/protocol/psbt/psbt.ts"

/**
 * The output an input spends, as far as it is known: of the transaction that has it, else as the PSBT has it. A transaction
 * is held to be the right one when it is read.
 */
export const spentOutputOf = ({ nonWitnessUtxo, prevout, witnessUtxo }: PsbtInput): TransactionOutput | undefined =>
  nonWitnessUtxo === undefined ? witnessUtxo : nonWitnessUtxo.outputs[prevout.vout]
