import type { Bytes } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import { isPushOnly } from "../script/instruction.ts"
import { ScriptError } from "../script/script-error.ts"

/**
 * A scriptSig only pushes, whatever it redeems.
 *
 * @spec POL-007 #ecbac53b
 */
export const scriptSigIsPushOnly = (scriptSig: Bytes, flags: ScriptFlags): Fault =>
  (flags & ScriptFlag.SIGPUSHONLY) === 0 || isPushOnly(scriptSig)
    ? NO_FAULT
    : fault("POL-007", ScriptError.SIG_PUSHONLY)

/**
 * The stack has nothing but the result.
 *
 * @spec POL-006 #2c3aa9d8
 */
export const stackIsClean = (depth: number, flags: ScriptFlags): Fault =>
  (flags & ScriptFlag.CLEANSTACK) === 0 || depth === 1 ? NO_FAULT : fault("POL-006", ScriptError.CLEANSTACK)
