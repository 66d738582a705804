import { encodeParts, type Transaction, transactionOf } from "@lockstep/kernel/model"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import { type UnsignedParts, unsignedParts } from "@lockstep/protocol/psbt/unsigned-transaction.ts"

/** Builds a transaction of parts, which may have no inputs. */
const madeOf = (parts: UnsignedParts): Transaction => {
  if (parts.inputs.length > 0) return transactionOf(parts)
  const bytes = encodeParts(parts)
  return { ...parts, bytes, body: bytes.subarray(4, -4), hasWitness: false }
}

/** Returns the transaction to be signed, or `undefined` if its inputs cannot have a common lock time. */
export const unsignedTransaction = (psbt: Psbt): Transaction | undefined => {
  const parts = unsignedParts(psbt)
  return parts && madeOf(parts)
}
/** Returns the transaction with the final scripts and witnesses of its inputs. */
export const finalTransaction = (psbt: Psbt): Transaction | undefined => {
  const parts = unsignedParts(psbt)
  return parts && madeOf({
    ...parts,
    inputs: parts.inputs.map((input, i) => ({
      ...input,
      script: psbt.inputs[i]!.finalScript ?? input.script,
      witness: psbt.inputs[i]!.finalWitness ?? []
    }))
  })
}
