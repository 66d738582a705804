import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import type { Machine } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { encodeScriptNumber, operand, operandFault } from "../script-number.ts"

// Operands have at most four bytes, so every result is below 2³² in magnitude and exact in a double.

/** Replaces the top. */
const replace = (m: Machine, value: number): Fault => {
  m.stack[m.depth - 1] = encodeScriptNumber(value)
  return NO_FAULT
}

/**
 * OP_1ADD: a → a + 1. The result may be too long to be an operand again.
 *
 * @spec OPC-139 #70256b13
 */
export const op1Add = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-139", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 0)
  return Number.isNaN(a) ? operandFault(m, 0) : replace(m, a + 1)
}

/**
 * OP_1SUB: a → a − 1.
 *
 * @spec OPC-140 #e2248dfe
 */
export const op1Sub = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-140", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 0)
  return Number.isNaN(a) ? operandFault(m, 0) : replace(m, a - 1)
}

/**
 * OP_NEGATE: a → −a.
 *
 * @spec OPC-143 #ec0d1e9a
 */
export const opNegate = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-143", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 0)
  return Number.isNaN(a) ? operandFault(m, 0) : replace(m, -a)
}

/**
 * OP_ABS: a → |a|.
 *
 * @spec OPC-144 #d2a9d2b4
 */
export const opAbs = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-144", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 0)
  return Number.isNaN(a) ? operandFault(m, 0) : replace(m, Math.abs(a))
}

/**
 * OP_NOT: a → whether a is zero.
 *
 * @spec OPC-145 #ff5fb3d7
 */
export const opNot = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-145", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 0)
  return Number.isNaN(a) ? operandFault(m, 0) : replace(m, a === 0 ? 1 : 0)
}

/**
 * OP_0NOTEQUAL: a → whether a is not zero.
 *
 * @spec OPC-146 #babe2059
 */
export const op0NotEqual = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-146", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 0)
  return Number.isNaN(a) ? operandFault(m, 0) : replace(m, a !== 0 ? 1 : 0)
}
