import type { Bytes } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import { SigVersion } from "../machine/machine.ts"
import { Opcode } from "../script/opcode.ts"
import { ScriptError } from "../script/script-error.ts"

/**
 * No OP_CODESEPARATOR outside witness scripts, executed or not.
 *
 * @spec POL-013 #5d688611
 */
export const separatorIsAbsent = (opcode: number, version: SigVersion, flags: ScriptFlags): Fault =>
  opcode === Opcode.OP_CODESEPARATOR && version === SigVersion.BASE && (flags & ScriptFlag.CONST_SCRIPTCODE) !== 0
    ? fault("POL-013", ScriptError.OP_CODESEPARATOR)
    : NO_FAULT

/**
 * The script code does not contain the signature it is hashed for: what deleting it (SCR-015) left is what it was
 * given.
 *
 * @spec POL-017 #9b11e9c6
 */
export const signatureIsNotInScript = (given: Bytes, left: Bytes, flags: ScriptFlags): Fault =>
  given.length === left.length || (flags & ScriptFlag.CONST_SCRIPTCODE) === 0
    ? NO_FAULT
    : fault("POL-017", ScriptError.SIG_FINDANDDELETE)
