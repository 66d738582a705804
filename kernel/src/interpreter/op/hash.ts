import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import { type Machine, peek } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"

/**
 * OP_RIPEMD160 replaces the top by its hash.
 *
 * @spec OPC-166 #d76e6245
 */
export const opRipemd160 = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-166", ScriptError.INVALID_STACK_OPERATION)
  m.stack[m.depth - 1] = m.crypto.ripemd160(peek(m, 0))
  return NO_FAULT
}

/**
 * OP_SHA1 replaces the top by its hash.
 *
 * @spec OPC-167 #447c31b2
 */
export const opSha1 = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-167", ScriptError.INVALID_STACK_OPERATION)
  m.stack[m.depth - 1] = m.crypto.sha1(peek(m, 0))
  return NO_FAULT
}

/**
 * OP_SHA256 replaces the top by its hash.
 *
 * @spec OPC-168 #802e6abc
 */
export const opSha256 = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-168", ScriptError.INVALID_STACK_OPERATION)
  m.stack[m.depth - 1] = m.crypto.sha256(peek(m, 0))
  return NO_FAULT
}

/**
 * OP_HASH160 replaces the top by RIPEMD-160 of its SHA-256.
 *
 * @spec OPC-169 #4f0d6b2a
 */
export const opHash160 = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-169", ScriptError.INVALID_STACK_OPERATION)
  m.stack[m.depth - 1] = m.crypto.hash160(peek(m, 0))
  return NO_FAULT
}

/**
 * OP_HASH256 replaces the top by its double SHA-256.
 *
 * @spec OPC-170 #a57d99e9
 */
export const opHash256 = (m: Machine): Fault => {
  if (m.depth < 1) return fault("OPC-170", ScriptError.INVALID_STACK_OPERATION)
  m.stack[m.depth - 1] = m.crypto.sha256d(peek(m, 0))
  return NO_FAULT
}
