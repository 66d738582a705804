import { WITNESS_SCALE_FACTOR } from "../constants.ts"
import { isCoinbase, type SpentOutputs, type Transaction } from "../model/transaction.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import { payToScriptHashSigOps } from "./pay-to-script-hash.ts"
import { scriptSigOps } from "./script.ts"
import { witnessSigOps } from "./witness.ts"

/**
 * Signature operations in a transaction itself, counted without looking at counts of keys: in scriptSigs and output
 * scripts, whether or not they are ever run.
 *
 * @spec SOP-005 #9b057c3e
 */
export const legacySigOps = (tx: Transaction): number => {
  let count = 0
  for (const input of tx.inputs) count += scriptSigOps(input.script, false)
  for (const output of tx.outputs) count += scriptSigOps(output.script, false)
  return count
}

/**
 * Returns the part of a block's budget of signature operations that a transaction uses: those outside witnesses count
 * four.
 *
 *     cost = 4·(legacy + Σ script hash) + Σ witness
 *
 * A coinbase spends nothing, so only its own scripts count. Precondition: one spent output per input, or a coinbase.
 *
 * @spec SOP-004 #4fbe8a5c
 */
export const transactionSigOpCost = (tx: Transaction, spentOutputs: SpentOutputs, flags: ScriptFlags): number => {
  let cost = legacySigOps(tx) * WITNESS_SCALE_FACTOR
  if (isCoinbase(tx)) return cost
  for (let i = 0; i < tx.inputs.length; i++) {
    const { script: scriptSig, witness } = tx.inputs[i]!
    const { script: scriptPubKey } = spentOutputs[i]!
    if ((flags & ScriptFlag.P2SH) !== 0) cost += payToScriptHashSigOps(scriptSig, scriptPubKey) * WITNESS_SCALE_FACTOR
    cost += witnessSigOps(scriptSig, scriptPubKey, witness, flags)
  }
  return cost
}
