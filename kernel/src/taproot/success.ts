import type { Bytes } from "../quantities.ts"
import { fault, NO_FAULT, type Outcome, YES } from "../script/fault.ts"
import { instructionEnd } from "../script/instruction.ts"
import { ScriptError } from "../script/script-error.ts"

/**
 * Reports whether the presence of `opcode` makes a tapscript succeed: 80, 98, 126 to 129, 131 to 134, 137, 138, 141,
 * 142, 149 to 153, 187 to 254.
 *
 * @spec TAP-009 #6760b40f
 */
export const isSuccessOpcode = (opcode: number): boolean =>
  opcode === 80 || opcode === 98 || (opcode >= 126 && opcode <= 129) || (opcode >= 131 && opcode <= 134) ||
  opcode === 137 || opcode === 138 || opcode === 141 || opcode === 142 || (opcode >= 149 && opcode <= 153) ||
  (opcode >= 187 && opcode <= 254)

/**
 * Reports whether a tapscript has a success opcode, so that it holds without being run. It is read up to the first one;
 * a fault if an instruction before it is truncated. Bytes after a success opcode are not even parsed.
 *
 * @spec TAP-008 #162b6f2d
 */
export const scanForSuccess = (script: Bytes): Outcome => {
  for (let pc = 0; pc < script.length;) {
    const end = instructionEnd(script, pc)
    if (end > script.length) return fault("TAP-008", ScriptError.BAD_OPCODE)
    if (isSuccessOpcode(script[pc]!)) return YES
    pc = end
  }
  return NO_FAULT
}
