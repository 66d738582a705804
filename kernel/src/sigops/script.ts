import { MAX_PUBKEYS_PER_MULTISIG } from "../constants.ts"
import type { Bytes } from "../quantities.ts"
import { instructionEnd } from "../script/instruction.ts"
import { Opcode } from "../script/opcode.ts"

/**
 * Signature operations of a script, by its bytes alone. A checksig counts one, a multisig 20 or, when `accurate`, the
 * number OP_1 to OP_16 that directly precedes it. Counting ends where an instruction is cut off.
 *
 * @spec SOP-001 #0f4ac873
 */
export const scriptSigOps = (script: Bytes, accurate: boolean): number => {
  let count = 0
  let previous: number = Opcode.OP_0
  for (let pc = 0; pc < script.length;) {
    const opcode = script[pc]!
    pc = instructionEnd(script, pc)
    if (opcode === Opcode.OP_CHECKSIG || opcode === Opcode.OP_CHECKSIGVERIFY) {
      count++
    } else if (opcode === Opcode.OP_CHECKMULTISIG || opcode === Opcode.OP_CHECKMULTISIGVERIFY) {
      const isCounted = accurate && previous >= Opcode.OP_1 && previous <= Opcode.OP_16
      count += isCounted ? previous - Opcode.OP_1 + 1 : MAX_PUBKEYS_PER_MULTISIG
    }
    previous = opcode
  }
  return count
}
