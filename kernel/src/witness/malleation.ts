import { bytesEqual } from "../bytes/equal.ts"
import type { Bytes } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptError } from "../script/script-error.ts"

/**
 * An input that spends a witness program directly has an empty scriptSig: nothing outside the witness can be changed.
 *
 * @spec WIT-002 #58fc279a
 */
export const nativeScriptSigIsEmpty = (scriptSig: Bytes): Fault =>
  scriptSig.length === 0 ? NO_FAULT : fault("WIT-002", ScriptError.WITNESS_MALLEATED)

/**
 * An input that spends a witness program through its script hash has a scriptSig of one direct push of that program.
 * Precondition: `redeemScript` is a witness program, so at most 42 bytes and pushed by its length.
 *
 * @spec WIT-003 #0dfbd6c2
 */
export const nestedScriptSigIsOnePush = (scriptSig: Bytes, redeemScript: Bytes): Fault =>
  scriptSig[0] === redeemScript.length && bytesEqual(scriptSig.subarray(1), redeemScript)
    ? NO_FAULT
    : fault("WIT-003", ScriptError.WITNESS_MALLEATED_P2SH)

/**
 * An input that spends no witness program has no witness.
 *
 * @spec WIT-004 #269b022f
 */
export const witnessIsExpected = (witness: ReadonlyArray<Bytes>, hadProgram: boolean): Fault =>
  hadProgram || witness.length === 0 ? NO_FAULT : fault("WIT-004", ScriptError.WITNESS_UNEXPECTED)
