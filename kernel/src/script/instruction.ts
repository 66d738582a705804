import type { Bytes } from "../quantities.ts"
import { Opcode } from "./opcode.ts"

/** Bytes between an opcode and the data it pushes. */
export const lengthFieldSize = (opcode: number): number =>
  opcode < Opcode.OP_PUSHDATA1 || opcode > Opcode.OP_PUSHDATA4
    ? 0
    : opcode === Opcode.OP_PUSHDATA1
    ? 1
    : opcode === Opcode.OP_PUSHDATA2
    ? 2
    : 4

/**
 * Returns the offset after the instruction at `pc`; beyond the end of the script if its length field or data is
 * truncated. Precondition: `pc < script.length`. A double holds the sum of an offset and a declared length, which may
 * be 2³² − 1.
 */
export const instructionEnd = (script: Uint8Array, pc: number): number => {
  const opcode = script[pc]!
  if (opcode > Opcode.OP_PUSHDATA4) return pc + 1
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
 * Reports whether a script consists of complete pushes alone; OP_RESERVED counts as one, small integers too.
 *
 * @spec SCR-016 #2eacfe66
 */
export const isPushOnly = (script: Bytes): boolean => {
  let pc = 0
  while (pc < script.length) {
    if (script[pc]! > Opcode.OP_16) return false
    pc = instructionEnd(script, pc)
  }
  return pc === script.length
}
