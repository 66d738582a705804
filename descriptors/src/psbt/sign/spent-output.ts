import type { TransactionOutput } from "@lockstep/kernel/model"
import type { PsbtInput } from "@lockstep/protocol/psbt/psbt.ts"

/**
 * Returns the output that an input spends, as far as it is known: from its transaction, else from the PSBT. The
 * transaction was checked to be the right one when it was read.
 */
export const spentOutputOf = ({ nonWitnessUtxo, prevout, witnessUtxo }: PsbtInput): TransactionOutput | undefined =>
  nonWitnessUtxo === undefined ? witnessUtxo : nonWitnessUtxo.outputs[prevout.vout]
