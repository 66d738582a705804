import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import type { Machine } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { encodeScriptNumber, operand, operandFault } from "../script-number.ts"

// Operands have at most four bytes, so every result is below 2³² in magnitude and exact in a double.

/** Takes two elements and pushes `value`. */
const replaceTwo = (m: Machine, value: number): Fault => {
  m.depth--
  m.stack[m.depth - 1] = encodeScriptNumber(value)
  return NO_FAULT
}

/** Reports whether one of two operands is invalid. */
const isNone = (a: number, b: number): boolean => Number.isNaN(a) || Number.isNaN(b)

/** Returns the fault of an invalid operand; the deeper one is read first. */
const operandsFault = (m: Machine): Fault => {
  const deeper = operandFault(m, 1)
  return deeper !== NO_FAULT ? deeper : operandFault(m, 0)
}

/**
 * OP_ADD: a b → a + b.
 *
 * @spec OPC-147 #b73eb5ae
 */
export const opAdd = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-147", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a + b)
}

/**
 * OP_SUB: a b → a − b.
 *
 * @spec OPC-148 #1117ebd4
 */
export const opSub = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-148", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a - b)
}

/**
 * OP_BOOLAND: a b → whether neither is zero.
 *
 * @spec OPC-154 #31e45715
 */
export const opBoolAnd = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-154", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a !== 0 && b !== 0 ? 1 : 0)
}

/**
 * OP_BOOLOR: a b → whether one is not zero.
 *
 * @spec OPC-155 #cfe7ed23
 */
export const opBoolOr = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-155", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a !== 0 || b !== 0 ? 1 : 0)
}

/**
 * OP_NUMEQUAL: a b → whether the numbers are equal, whatever their encoding.
 *
 * @spec OPC-156 #6cbded2f
 */
export const opNumEqual = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-156", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a === b ? 1 : 0)
}

/**
 * OP_NUMNOTEQUAL: a b → whether the numbers differ.
 *
 * @spec OPC-158 #c5c7887d
 */
export const opNumNotEqual = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-158", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a !== b ? 1 : 0)
}

/**
 * OP_LESSTHAN: a b → whether a < b.
 *
 * @spec OPC-159 #683b3821
 */
export const opLessThan = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-159", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a < b ? 1 : 0)
}

/**
 * OP_GREATERTHAN: a b → whether a > b.
 *
 * @spec OPC-160 #5419eb93
 */
export const opGreaterThan = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-160", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a > b ? 1 : 0)
}

/**
 * OP_LESSTHANOREQUAL: a b → whether a ≤ b.
 *
 * @spec OPC-161 #a684a197
 */
export const opLessThanOrEqual = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-161", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a <= b ? 1 : 0)
}

/**
 * OP_GREATERTHANOREQUAL: a b → whether a ≥ b.
 *
 * @spec OPC-162 #9189c656
 */
export const opGreaterThanOrEqual = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-162", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, a >= b ? 1 : 0)
}

/**
 * OP_MIN: a b → the smaller.
 *
 * @spec OPC-163 #6ecbbb3e
 */
export const opMin = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-163", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, Math.min(a, b))
}

/**
 * OP_MAX: a b → the larger.
 *
 * @spec OPC-164 #2e60834d
 */
export const opMax = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-164", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  return isNone(a, b) ? operandsFault(m) : replaceTwo(m, Math.max(a, b))
}

/**
 * OP_NUMEQUALVERIFY takes two numbers, which are equal.
 *
 * @spec OPC-157 #b4f359d5
 */
export const opNumEqualVerify = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-157", ScriptError.INVALID_STACK_OPERATION)
  const a = operand(m, 1)
  const b = operand(m, 0)
  if (isNone(a, b)) return operandsFault(m)
  if (a !== b) return fault("OPC-157", ScriptError.NUMEQUALVERIFY)
  m.depth -= 2
  return NO_FAULT
}
