import { instructionEnd, lengthFieldSize } from "@lockstep/kernel/script"

const LAST_PUSH = 0x4e
const MAX_OPCODE = 0xb9
const MAX_ELEMENT = 520

/** Reports whether a script consists of complete instructions that existed before taproot, none with too much data. */
export const hasValidOperations = (script: Uint8Array): boolean => {
  for (let pc = 0; pc < script.length;) {
    const opcode = script[pc]!
    const end = instructionEnd(script, pc)
    if (end > script.length || opcode > MAX_OPCODE) return false
    if (opcode <= LAST_PUSH && end - pc - 1 - lengthFieldSize(opcode) > MAX_ELEMENT) return false
    pc = end
  }
  return true
}
