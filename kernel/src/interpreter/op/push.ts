import { pushIsMinimal } from "../../policy/minimal-data.ts"
import { type Fault, NO_FAULT } from "../../script/fault.ts"
import { type Machine, push } from "../../machine/machine.ts"
import { Opcode } from "../../script/opcode.ts"
import { encodeScriptNumber } from "../script-number.ts"

/**
 * Opcodes 0 to 78 push the bytes that follow them; opcode 0 pushes an empty element.
 *
 * @spec OPC-000 #48843058
 */
export const pushData = (m: Machine): Fault => {
  const wasteful = pushIsMinimal(m)
  if (wasteful !== NO_FAULT) return wasteful
  push(m, m.script.subarray(m.dataStart, m.dataEnd))
  return NO_FAULT
}

const SMALL_INTEGERS: ReadonlyArray<Uint8Array> = Array.from({ length: 17 }, (_, n) => encodeScriptNumber(n))
const MINUS_ONE = encodeScriptNumber(-1)

/**
 * OP_1NEGATE pushes −1.
 *
 * @spec OPC-079 #8b44502f
 */
export const op1Negate = (m: Machine): Fault => {
  push(m, MINUS_ONE)
  return NO_FAULT
}

/**
 * OP_1 to OP_16 push their number.
 *
 * @spec OPC-081 #3bfc8f2c
 */
export const opSmallInteger = (m: Machine): Fault => {
  push(m, SMALL_INTEGERS[m.opcode - Opcode.OP_1 + 1]!)
  return NO_FAULT
}
