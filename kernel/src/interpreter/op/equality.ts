import { bytesEqual } from "../../bytes/equal.ts"
import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import { type Machine, peek } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { truth } from "../script-number.ts"

/**
 * OP_EQUAL: a b → whether they are the same bytes. Two encodings of one number are not.
 *
 * @spec OPC-135 #766326ef
 */
export const opEqual = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-135", ScriptError.INVALID_STACK_OPERATION)
  const equal = bytesEqual(peek(m, 1), peek(m, 0))
  m.depth--
  m.stack[m.depth - 1] = truth(equal)
  return NO_FAULT
}

/**
 * OP_EQUALVERIFY takes two elements, which are the same bytes.
 *
 * @spec OPC-136 #2a2f97cf
 */
export const opEqualVerify = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-136", ScriptError.INVALID_STACK_OPERATION)
  if (!bytesEqual(peek(m, 1), peek(m, 0))) return fault("OPC-136", ScriptError.EQUALVERIFY)
  m.depth -= 2
  return NO_FAULT
}
