import {
  LOCKTIME_THRESHOLD,
  MAX_LOCKTIME_NUMBER_SIZE,
  SEQUENCE_FINAL,
  SEQUENCE_LOCKTIME_DISABLE_FLAG,
  SEQUENCE_LOCKTIME_MASK,
  SEQUENCE_LOCKTIME_TYPE_FLAG
} from "../../constants.ts"
import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import { ScriptFlag } from "../../script/flags.ts"
import type { Machine } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { operand, operandFault } from "../script-number.ts"

/**
 * OP_CHECKLOCKTIMEVERIFY: the transaction's lock time is of the same kind as the top and not below it, and the input is
 * not final. The top stays.
 *
 * @spec OPC-177 #3ff667c5
 */
export const opCheckLockTimeVerify = (m: Machine): Fault => {
  if ((m.flags & ScriptFlag.CHECKLOCKTIMEVERIFY) === 0) return NO_FAULT // still a NOP2
  if (m.depth < 1) return fault("OPC-177", ScriptError.INVALID_STACK_OPERATION)
  const required = operand(m, 0, MAX_LOCKTIME_NUMBER_SIZE)
  if (Number.isNaN(required)) return operandFault(m, 0, MAX_LOCKTIME_NUMBER_SIZE)
  if (required < 0) return fault("OPC-177", ScriptError.NEGATIVE_LOCKTIME)
  const { inputIndex, tx } = m.spend
  const sameKind = (required >= LOCKTIME_THRESHOLD) === (tx.lockTime >= LOCKTIME_THRESHOLD)
  return sameKind && required <= tx.lockTime && tx.inputs[inputIndex]!.sequence !== SEQUENCE_FINAL
    ? NO_FAULT
    : fault("OPC-177", ScriptError.UNSATISFIED_LOCKTIME)
}

/** The part of a sequence number that a relative lock consists of: kind and amount. Exact for operands up to 2³⁹. */
const relativeLock = (sequence: number): number => sequence & (SEQUENCE_LOCKTIME_TYPE_FLAG | SEQUENCE_LOCKTIME_MASK)

const sequenceSatisfies = (required: number, sequence: number, version: number): boolean => {
  // The version is unsigned: 0x80000002 has relative locks too (CVE-2024-34478).
  if (version < 2 || sequence >= SEQUENCE_LOCKTIME_DISABLE_FLAG) return false
  const wanted = relativeLock(required)
  const given = relativeLock(sequence)
  const sameKind = (wanted >= SEQUENCE_LOCKTIME_TYPE_FLAG) === (given >= SEQUENCE_LOCKTIME_TYPE_FLAG)
  return sameKind && wanted <= given
}

/**
 * OP_CHECKSEQUENCEVERIFY: the input's sequence number is a relative lock of the same kind as the top and not below it,
 * in a transaction of version 2 or later. A top with the disable bit requires nothing. The top stays.
 *
 * @spec OPC-178 #e43d589f
 */
export const opCheckSequenceVerify = (m: Machine): Fault => {
  if ((m.flags & ScriptFlag.CHECKSEQUENCEVERIFY) === 0) return NO_FAULT // still a NOP3
  if (m.depth < 1) return fault("OPC-178", ScriptError.INVALID_STACK_OPERATION)
  const required = operand(m, 0, MAX_LOCKTIME_NUMBER_SIZE)
  if (Number.isNaN(required)) return operandFault(m, 0, MAX_LOCKTIME_NUMBER_SIZE)
  if (required < 0) return fault("OPC-178", ScriptError.NEGATIVE_LOCKTIME)
  if ((required & SEQUENCE_LOCKTIME_DISABLE_FLAG) !== 0) return NO_FAULT
  const { inputIndex, tx } = m.spend
  return sequenceSatisfies(required, tx.inputs[inputIndex]!.sequence, tx.version)
    ? NO_FAULT
    : fault("OPC-178", ScriptError.UNSATISFIED_LOCKTIME)
}
