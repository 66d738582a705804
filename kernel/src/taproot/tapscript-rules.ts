import type { Bytes } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { SigVersion } from "../machine/machine.ts"
import { ScriptError } from "../script/script-error.ts"

/**
 * Tapscript has no multisig: OP_CHECKSIGADD replaces it.
 *
 * @spec TAP-013 #9948d4a6
 */
export const multisigIsNotTapscript = (version: SigVersion): Fault =>
  version === SigVersion.TAPSCRIPT ? fault("TAP-013", ScriptError.TAPSCRIPT_CHECKMULTISIG) : NO_FAULT

/**
 * In tapscript the argument of OP_IF and OP_NOTIF is empty or the byte 1, as consensus.
 *
 * @spec TAP-014 #2b7f74aa
 */
export const tapscriptIfArgument = (argument: Bytes, version: SigVersion): Fault =>
  version !== SigVersion.TAPSCRIPT || argument.length === 0 || (argument.length === 1 && argument[0] === 1)
    ? NO_FAULT
    : fault("TAP-014", ScriptError.TAPSCRIPT_MINIMALIF)
