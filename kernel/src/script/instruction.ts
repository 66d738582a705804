import { type Fault, fault, NO_FAULT } from "./fault.ts"
import type { Machine } from "./machine.ts"
import { Opcode } from "./opcode.ts"
import { ScriptError } from "./script-error.ts"

/** Bytes between an opcode and the data it pushes. @internal */
export const lengthFieldSize = (opcode: number): number =>
  opcode < Opcode.PUSHDATA1 || opcode > Opcode.PUSHDATA4 ? 0 : opcode === Opcode.PUSHDATA1 ? 1 : opcode === Opcode.PUSHDATA2 ? 2 : 4

/**
 * Offset behind the instruction at `pc`; beyond the end of the script when its length field or data is cut off.
 * Precondition: `pc < script.length`. A double holds the sum of an offset and a declared length, which may be 2³² − 1.
 *
 * @internal
 */
export const instructionEnd = (script: Uint8Array, pc: number): number => {
  const opcode = script[pc]!
  if (opcode > Opcode.PUSHDATA4) return pc + 1
  const field = lengthFieldSize(opcode)
  const data = pc + 1 + field
  if (data > script.length) return data
  let length = opcode
  if (field > 0) {
    length = 0
    for (let i = field; i > 0; i--) length = length * 256 + script[pc + i]!
  }
  return data + length
}

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

/**
 * Whether a script consists of complete pushes alone; OP_RESERVED counts as one, small integers too.
 *
 * @spec SCR-016 #2eacfe66
 */
export const isPushOnly = (script: Uint8Array): boolean => {
  let pc = 0
  while (pc < script.length) {
    if (script[pc]! > Opcode.OP_16) return false
    pc = instructionEnd(script, pc)
  }
  return pc === script.length
}
