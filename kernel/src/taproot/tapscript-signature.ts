import { VALIDATION_WEIGHT_PER_SIGOP_PASSED } from "../constants.ts"
import type { Bytes } from "../quantities.ts"
import { tapscriptKeyTypeIsKnown } from "../policy/upgradable.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import type { Machine } from "../machine/machine.ts"
import { ScriptError } from "../script/script-error.ts"
import { checkTaprootSignature } from "./signature.ts"

/**
 * The signature budget is not overdrawn. It starts at 50 plus the size of the serialized witness; every signature that
 * is not empty takes 50, whatever the type of its key.
 *
 * @spec TAP-011 #87ec37b9
 */
export const signatureBudget = (weightLeft: number): Fault =>
  weightLeft < 0 ? fault("TAP-011", ScriptError.TAPSCRIPT_VALIDATION_WEIGHT) : NO_FAULT

/**
 * A public key in tapscript is not empty.
 *
 * @spec TAP-012 #52c6115d
 */
export const tapscriptKeyIsNotEmpty = (key: Bytes): Fault =>
  key.length === 0 ? fault("TAP-012", ScriptError.TAPSCRIPT_EMPTY_PUBKEY) : NO_FAULT

/**
 * Judges a signature in tapscript. An empty one is the only way to fail without failing the script; a signature that is
 * not empty must verify, or be for a key of unknown type. Whether it counts as valid is whether it is not empty.
 *
 * @spec TAP-015 #21538fb0
 */
export const checkTapscriptSignature = (m: Machine, signature: Bytes, key: Bytes): Fault => {
  if (signature.length > 0) {
    m.weightLeft -= VALIDATION_WEIGHT_PER_SIGOP_PASSED
    const overdrawn = signatureBudget(m.weightLeft)
    if (overdrawn !== NO_FAULT) return overdrawn
  }
  const empty = tapscriptKeyIsNotEmpty(key)
  if (empty !== NO_FAULT) return empty
  if (key.length !== 32) return tapscriptKeyTypeIsKnown(m.flags)
  return signature.length === 0 ? NO_FAULT : checkTaprootSignature(m, signature, key)
}
