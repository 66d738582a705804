import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import { type Machine, push } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"

/**
 * OP_TOALTSTACK moves the top to the alternative stack.
 *
 * @spec OPC-107 #3441d2e3
 */
export const opToAltStack = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-107", ScriptError.INVALID_STACK_OPERATION)
  m.alt[m.altDepth++] = m.stack[--m.depth]!
  return NO_FAULT
}

/**
 * OP_FROMALTSTACK moves the top of the alternative stack back.
 *
 * @spec OPC-108 #2b5f25d4
 */
export const opFromAltStack = (m: Machine): Fault => {
  if (m.altDepth < 1) return fault("OPC-108", ScriptError.INVALID_ALTSTACK_OPERATION)
  push(m, m.alt[--m.altDepth]!)
  return NO_FAULT
}
