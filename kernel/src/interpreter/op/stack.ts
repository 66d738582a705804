import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import { type Machine, peek, push } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { encodeScriptNumber, isTrue } from "../script-number.ts"

/** Exchanges the elements `a` and `b` positions below the top. */
const swap = (m: Machine, a: number, b: number): void => {
  const { depth, stack } = m
  const element = stack[depth - 1 - a]!
  stack[depth - 1 - a] = stack[depth - 1 - b]!
  stack[depth - 1 - b] = element
}

/**
 * OP_2DROP: a b → nothing.
 *
 * @spec OPC-109 #8b193612
 */
export const op2Drop = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-109", ScriptError.INVALID_STACK_OPERATION)
  m.depth -= 2
  return NO_FAULT
}

/**
 * OP_2DUP: a b → a b a b.
 *
 * @spec OPC-110 #bfbce52b
 */
export const op2Dup = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-110", ScriptError.INVALID_STACK_OPERATION)
  push(m, peek(m, 1))
  push(m, peek(m, 1))
  return NO_FAULT
}

/**
 * OP_3DUP: a b c → a b c a b c.
 *
 * @spec OPC-111 #79823691
 */
export const op3Dup = (m: Machine): Fault => {
  if (m.depth < 3) return fault("OPC-111", ScriptError.INVALID_STACK_OPERATION)
  push(m, peek(m, 2))
  push(m, peek(m, 2))
  push(m, peek(m, 2))
  return NO_FAULT
}

/**
 * OP_2OVER: a b c d → a b c d a b.
 *
 * @spec OPC-112 #5cfb5aad
 */
export const op2Over = (m: Machine): Fault => {
  if (m.depth < 4) return fault("OPC-112", ScriptError.INVALID_STACK_OPERATION)
  push(m, peek(m, 3))
  push(m, peek(m, 3))
  return NO_FAULT
}

/**
 * OP_2ROT: a b c d e f → c d e f a b.
 *
 * @spec OPC-113 #cc0f4b52
 */
export const op2Rot = (m: Machine): Fault => {
  if (m.depth < 6) return fault("OPC-113", ScriptError.INVALID_STACK_OPERATION)
  swap(m, 5, 3)
  swap(m, 4, 2)
  swap(m, 3, 1)
  swap(m, 2, 0)
  return NO_FAULT
}

/**
 * OP_2SWAP: a b c d → c d a b.
 *
 * @spec OPC-114 #0d1bbc6a
 */
export const op2Swap = (m: Machine): Fault => {
  if (m.depth < 4) return fault("OPC-114", ScriptError.INVALID_STACK_OPERATION)
  swap(m, 3, 1)
  swap(m, 2, 0)
  return NO_FAULT
}

/**
 * OP_IFDUP copies the top when it is true.
 *
 * @spec OPC-115 #a83c8ed7
 */
export const opIfDup = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-115", ScriptError.INVALID_STACK_OPERATION)
  if (isTrue(peek(m, 0))) push(m, peek(m, 0))
  return NO_FAULT
}

/**
 * OP_DEPTH pushes the number of elements.
 *
 * @spec OPC-116 #0b9c7e10
 */
export const opDepth = (m: Machine): Fault => {
  push(m, encodeScriptNumber(m.depth))
  return NO_FAULT
}

/**
 * OP_DROP: a → nothing.
 *
 * @spec OPC-117 #1777023b
 */
export const opDrop = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-117", ScriptError.INVALID_STACK_OPERATION)
  m.depth--
  return NO_FAULT
}

/**
 * OP_DUP: a → a a.
 *
 * @spec OPC-118 #123a39b5
 */
export const opDup = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-118", ScriptError.INVALID_STACK_OPERATION)
  push(m, peek(m, 0))
  return NO_FAULT
}

/**
 * OP_NIP: a b → b.
 *
 * @spec OPC-119 #60502c22
 */
export const opNip = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-119", ScriptError.INVALID_STACK_OPERATION)
  m.stack[m.depth - 2] = peek(m, 0)
  m.depth--
  return NO_FAULT
}

/**
 * OP_OVER: a b → a b a.
 *
 * @spec OPC-120 #0eec0284
 */
export const opOver = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-120", ScriptError.INVALID_STACK_OPERATION)
  push(m, peek(m, 1))
  return NO_FAULT
}

/**
 * OP_ROT: a b c → b c a.
 *
 * @spec OPC-123 #00e0b0dd
 */
export const opRot = (m: Machine): Fault => {
  if (m.depth < 3) return fault("OPC-123", ScriptError.INVALID_STACK_OPERATION)
  swap(m, 2, 1)
  swap(m, 1, 0)
  return NO_FAULT
}

/**
 * OP_SWAP: a b → b a.
 *
 * @spec OPC-124 #ee5da1dc
 */
export const opSwap = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-124", ScriptError.INVALID_STACK_OPERATION)
  swap(m, 1, 0)
  return NO_FAULT
}

/**
 * OP_TUCK: a b → b a b.
 *
 * @spec OPC-125 #e611db76
 */
export const opTuck = (m: Machine): Fault => {
  if (m.depth < 2) return fault("OPC-125", ScriptError.INVALID_STACK_OPERATION)
  push(m, peek(m, 0))
  m.stack[m.depth - 2] = m.stack[m.depth - 3]!
  m.stack[m.depth - 3] = peek(m, 0)
  return NO_FAULT
}

/**
 * OP_SIZE pushes the number of bytes of the top, which stays.
 *
 * @spec OPC-130 #8b6c545f
 */
export const opSize = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-130", ScriptError.INVALID_STACK_OPERATION)
  push(m, encodeScriptNumber(peek(m, 0).length))
  return NO_FAULT
}
