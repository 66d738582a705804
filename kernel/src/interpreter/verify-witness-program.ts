import { witnessVersionIsKnown } from "../policy/upgradable.ts"
import { type Fault, NO_FAULT } from "../script/fault.ts"
import { ScriptFlag } from "../script/flags.ts"
import { type Machine, type Spend, SigVersion } from "../machine/machine.ts"
import { verifyTaproot } from "./verify-taproot.ts"
import { executeWitnessScript, loadStack } from "./execute-witness-script.ts"
import type { WitnessProgram } from "../script/witness-program.ts"
import {
  payToWitnessPublicKeyHash,
  payToWitnessScriptHash,
  publicKeyHashScript,
  versionZeroLength
} from "../witness/version-zero.ts"

const verifyVersionZero = (m: Machine, program: Uint8Array, witness: ReadonlyArray<Uint8Array>): Fault => {
  const wrongLength = versionZeroLength(program)
  if (wrongLength !== NO_FAULT) return wrongLength
  if (program.length === 20) {
    const mismatch = payToWitnessPublicKeyHash(witness)
    if (mismatch !== NO_FAULT) return mismatch
    loadStack(m, witness, 2)
    return executeWitnessScript(m, publicKeyHashScript(program, m.keyHashScript), SigVersion.WITNESS_V0)
  }
  const mismatch = payToWitnessScriptHash(program, witness, m.crypto)
  if (mismatch !== NO_FAULT) return mismatch
  const last = witness.length - 1
  loadStack(m, witness, last)
  return executeWitnessScript(m, witness[last]!, SigVersion.WITNESS_V0)
}

/**
 * Judges the witness of an input that spends a witness program; `nested` when it does so through a script hash.
 *
 * Version 0 and native 32-byte version 1 have a meaning; every other program holds, whatever the witness.
 *
 * @spec WIT-010 #eeb9228a
 */
export const verifyWitnessProgram = (
  m: Machine,
  spend: Spend,
  witnessProgram: WitnessProgram,
  nested: boolean
): Fault => {
  const { program, version } = witnessProgram
  const { witness } = spend.tx.inputs[spend.inputIndex]!
  if (version === 0) return verifyVersionZero(m, program, witness)
  if (version === 1 && program.length === 32 && !nested) {
    return (spend.flags & ScriptFlag.TAPROOT) === 0 ? NO_FAULT : verifyTaproot(m, spend, program)
  }
  return witnessVersionIsKnown(version, program, nested, spend.flags)
}
