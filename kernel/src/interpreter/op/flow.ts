import { ifArgumentIsMinimal } from "../../policy/upgradable.ts"
import { tapscriptIfArgument } from "../../taproot/tapscript-rules.ts"
import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import { type Machine, peek } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { isTrue } from "../script-number.ts"

/** Opens a conditional. */
const open = (m: Machine): Fault => {
  m.conditionals++
  return NO_FAULT
}

/** Returns the fault of the argument of an executed conditional, other than being absent. */
const argumentFault = (m: Machine, argument: Uint8Array): Fault => {
  const inTapscript = tapscriptIfArgument(argument, m.version)
  return inTapscript !== NO_FAULT ? inTapscript : ifArgumentIsMinimal(argument, m.version, m.flags)
}

/**
 * OP_NOP does nothing.
 *
 * @spec OPC-097 #d550ff1a
 */
export const opNop = (_m: Machine): Fault => NO_FAULT

/**
 * OP_IF takes the top and runs what follows when it is true. Inside a branch that is not executed it takes nothing and
 * only opens one more level.
 *
 * @spec OPC-099 #ff414b06
 */
export const opIf = (m: Machine): Fault => {
  if (m.firstFalse >= 0) return open(m)
  if (m.depth < 1) return fault("OPC-099", ScriptError.INVALID_STACK_OPERATION)
  const argument = peek(m, 0)
  const wrong = argumentFault(m, argument)
  if (wrong !== NO_FAULT) return wrong
  m.depth--
  if (!isTrue(argument)) m.firstFalse = m.conditionals
  return open(m)
}

/**
 * OP_NOTIF is OP_IF with the sense turned.
 *
 * @spec OPC-100 #bf233315
 */
export const opNotIf = (m: Machine): Fault => {
  if (m.firstFalse >= 0) return open(m)
  if (m.depth < 1) return fault("OPC-100", ScriptError.INVALID_STACK_OPERATION)
  const argument = peek(m, 0)
  const wrong = argumentFault(m, argument)
  if (wrong !== NO_FAULT) return wrong
  m.depth--
  if (isTrue(argument)) m.firstFalse = m.conditionals
  return open(m)
}

/**
 * OP_ELSE turns the innermost conditional, any number of times.
 *
 * @spec OPC-103 #a05e4ad2
 */
export const opElse = (m: Machine): Fault => {
  const innermost = m.conditionals - 1
  if (innermost < 0) return fault("OPC-103", ScriptError.UNBALANCED_CONDITIONAL)
  if (m.firstFalse < 0) m.firstFalse = innermost
  else if (m.firstFalse === innermost) m.firstFalse = -1
  return NO_FAULT
}

/**
 * OP_ENDIF closes the innermost conditional.
 *
 * @spec OPC-104 #0f99adce
 */
export const opEndIf = (m: Machine): Fault => {
  if (m.conditionals === 0) return fault("OPC-104", ScriptError.UNBALANCED_CONDITIONAL)
  m.conditionals--
  if (m.firstFalse === m.conditionals) m.firstFalse = -1
  return NO_FAULT
}

/**
 * Every conditional that a script opens it closes.
 *
 * @spec SCR-010 #72cc31ec
 */
export const conditionalsAreBalanced = (m: Machine): Fault =>
  m.conditionals === 0 ? NO_FAULT : fault("SCR-010", ScriptError.UNBALANCED_CONDITIONAL)

/**
 * OP_VERIFY takes the top, which is true. A false one stays where it is, as it is not read again.
 *
 * @spec OPC-105 #fffe4024
 */
export const opVerify = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-105", ScriptError.INVALID_STACK_OPERATION)
  if (!isTrue(peek(m, 0))) return fault("OPC-105", ScriptError.VERIFY)
  m.depth--
  return NO_FAULT
}

/**
 * OP_RETURN fails. In the first client it ended the script with success (CVE-2010-5141).
 *
 * @spec OPC-106 #74c44728
 */
export const opReturn = (_m: Machine): Fault => fault("OPC-106", ScriptError.OP_RETURN)
