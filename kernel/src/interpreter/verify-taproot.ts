import type { Bytes, Bytes32 } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import type { Machine, Spend } from "../machine/machine.ts"
import { ScriptError } from "../script/script-error.ts"
import { annexHash, annexOf } from "../taproot/annex.ts"
import { checkTaprootSignature } from "../taproot/signature.ts"
import { verifyScriptPath } from "./verify-script-path.ts"

/**
 * The witness of a taproot spend is not empty.
 *
 * @spec TAP-001 #d8c6dc34
 */
export const taprootWitnessIsPresent = (witness: ReadonlyArray<Bytes>): Fault =>
  witness.length === 0 ? fault("TAP-001", ScriptError.WITNESS_PROGRAM_WITNESS_EMPTY) : NO_FAULT

/**
 * Judges the spend of a native version 1 program of 32 bytes (BIP341). Once an annex is set aside, one item is a
 * signature by the output key; more are a script path.
 *
 * @spec TAP-017 #b73a9c04
 */
export const verifyTaproot = (m: Machine, spend: Spend, program: Bytes32): Fault => {
  const { witness } = spend.tx.inputs[spend.inputIndex]!
  const empty = taprootWitnessIsPresent(witness)
  if (empty !== NO_FAULT) return empty
  const annex = annexOf(witness)
  if (annex !== undefined) m.annexHash = annexHash(annex, m.crypto)
  const items = annex === undefined ? witness.length : witness.length - 1
  return items === 1 ? checkTaprootSignature(m, witness[0]!, program) : verifyScriptPath(m, program, witness, items)
}
