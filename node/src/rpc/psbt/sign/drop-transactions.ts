import type { Psbt, PsbtInput } from "@lockstep/protocol/psbt/psbt.ts"
import { scriptKind } from "../../../script-text/script-kind.ts"

const ANYONECANPAY = 0x80

/** Whether signatures of an input cover the amounts of all others: those of taproot do. */
const coversAmounts = ({ sighashType = 0, witnessUtxo }: PsbtInput): boolean => {
  const kind = witnessUtxo && scriptKind(witnessUtxo.script)
  return kind !== undefined && "version" in kind && kind.version > 0 && (sighashType & ANYONECANPAY) === 0
}

/** Leaves out whole transactions where each input's signature makes sure of all amounts. */
export const dropTransactions = ({ inputs }: Psbt): void => {
  if (!inputs.every(coversAmounts)) return
  for (const input of inputs) input.nonWitnessUtxo = undefined
}
