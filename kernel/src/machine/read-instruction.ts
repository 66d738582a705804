import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { instructionEnd, lengthFieldSize } from "../script/instruction.ts"
import { ScriptError } from "../script/script-error.ts"
import type { Machine } from "./machine.ts"

/**
 * Takes the next instruction: opcode, and for pushes the bounds of the data.
 *
 *     data + length ≤ |script|
 *
 * Precondition: `m.pc < m.script.length`.
 *
 * @spec SCR-006 #9ebf69b8
 */
export const readInstruction = (m: Machine): Fault => {
  const { pc, script } = m
  const end = instructionEnd(script, pc)
  if (end > script.length) return fault("SCR-006", ScriptError.BAD_OPCODE)
  m.opcode = script[pc]!
  m.dataStart = pc + 1 + lengthFieldSize(m.opcode)
  m.dataEnd = end
  m.pc = end
  return NO_FAULT
}
