import { checkTapscriptSignature } from "../../taproot/tapscript-signature.ts"
import { type Fault, fault, isBroken, NO_FAULT, type Outcome, YES } from "../../script/fault.ts"
import { type Machine, peek, SigVersion } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { encodeScriptNumber, operand, operandFault, truth } from "../script-number.ts"
import { checkEcdsaSignature } from "../check-ecdsa.ts"
import { opUnknown } from "./reserved.ts"

/**
 * OP_CODESEPARATOR: signatures checked later commit only to what follows it (in tapscript: to its position).
 *
 * @spec OPC-171 #49d4804d
 */
export const opCodeSeparator = (m: Machine): Fault => {
  m.separatorOffset = m.pc
  m.separatorInstruction = m.instruction
  return NO_FAULT
}

/** Reports whether the signature counts as valid. */
const checkSignature = (m: Machine, signature: Uint8Array, key: Uint8Array): Outcome => {
  if (m.version !== SigVersion.TAPSCRIPT) return checkEcdsaSignature(m, signature, key)
  const wrong = checkTapscriptSignature(m, signature, key)
  return wrong === NO_FAULT && signature.length > 0 ? YES : wrong
}

/**
 * OP_CHECKSIG: signature key → whether the signature is valid.
 *
 * @spec OPC-172 #9a4dd7dd
 */
export const opCheckSig = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-172", ScriptError.INVALID_STACK_OPERATION)
  const checked = checkSignature(m, peek(m, 1), peek(m, 0))
  if (isBroken(checked)) return checked
  m.depth--
  m.stack[m.depth - 1] = truth(checked === YES)
  return NO_FAULT
}

/**
 * OP_CHECKSIGVERIFY takes signature and key; the signature is valid.
 *
 * @spec OPC-173 #b74c082d
 */
export const opCheckSigVerify = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-173", ScriptError.INVALID_STACK_OPERATION)
  const checked = checkSignature(m, peek(m, 1), peek(m, 0))
  if (isBroken(checked)) return checked
  if (checked !== YES) return fault("OPC-173", ScriptError.CHECKSIGVERIFY)
  m.depth -= 2
  return NO_FAULT
}

/**
 * OP_CHECKSIGADD (tapscript only): signature n key → n + 1 when the signature is valid, n when it is empty.
 *
 * @spec OPC-186 #633cdd21
 */
export const opCheckSigAdd = (m: Machine): Fault => {
  if (m.version !== SigVersion.TAPSCRIPT) return opUnknown(m)
  if (m.depth < 3) return fault("OPC-186", ScriptError.INVALID_STACK_OPERATION)
  const n = operand(m, 1)
  if (Number.isNaN(n)) return operandFault(m, 1)
  const checked = checkSignature(m, peek(m, 2), peek(m, 0))
  if (isBroken(checked)) return checked
  m.depth -= 2
  m.stack[m.depth - 1] = encodeScriptNumber(checked === YES ? n + 1 : n)
  return NO_FAULT
}
