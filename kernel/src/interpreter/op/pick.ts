import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import { type Machine, peek, push } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { operand, operandFault } from "../script-number.ts"

/**
 * OP_PICK: takes n, copies the element n positions below the new top. Needs two elements even before n is known.
 *
 * @spec OPC-121 #efd46f12
 */
export const opPick = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-121", ScriptError.INVALID_STACK_OPERATION)
  const n = operand(m, 0)
  if (Number.isNaN(n)) return operandFault(m, 0)
  m.depth--
  if (n < 0 || n >= m.depth) return fault("OPC-121", ScriptError.INVALID_STACK_OPERATION)
  push(m, peek(m, n))
  return NO_FAULT
}

/**
 * OP_ROLL: takes n, moves the element n positions below the new top to the top.
 *
 * @spec OPC-122 #0a3c7e86
 */
export const opRoll = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-122", ScriptError.INVALID_STACK_OPERATION)
  const n = operand(m, 0)
  if (Number.isNaN(n)) return operandFault(m, 0)
  m.depth--
  if (n < 0 || n >= m.depth) return fault("OPC-122", ScriptError.INVALID_STACK_OPERATION)
  const from = m.depth - 1 - n
  const moved = m.stack[from]!
  m.stack.copyWithin(from, from + 1, m.depth)
  m.stack[m.depth - 1] = moved
  return NO_FAULT
}
