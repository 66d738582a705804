import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import type { Machine } from "../script/machine.ts"
import { Opcode } from "../script/opcode.ts"
import { ScriptError } from "../script/script-error.ts"

/** The opcode that pushes these bytes in the fewest bytes. */
const shortestOpcode = (script: Uint8Array, start: number, length: number): number => {
  if (length === 0) return Opcode.OP_0
  if (length === 1) {
    const byte = script[start]!
    if (byte >= 1 && byte <= 16) return Opcode.OP_1 + byte - 1
    if (byte === 0x81) return Opcode.OP_1NEGATE
  }
  if (length <= 75) return length
  return length <= 255 ? Opcode.PUSHDATA1 : length <= 65535 ? Opcode.PUSHDATA2 : Opcode.PUSHDATA4
}

/**
 * An executed push uses the shortest opcode there is for its data. Precondition: `m.opcode` is a push of data.
 *
 * @spec POL-004 #89d98d40
 */
export const pushIsMinimal = (m: Machine): Fault =>
  (m.flags & ScriptFlag.MINIMALDATA) === 0 || m.opcode === shortestOpcode(m.script, m.dataStart, m.dataEnd - m.dataStart)
    ? NO_FAULT
    : fault("POL-004", ScriptError.MINIMALDATA)

/**
 * A number operand has no byte too many: its last byte is more than a sign, unless the byte before needs that sign's place.
 *
 * @spec POL-005 #acee7795
 */
export const numberIsMinimal = (bytes: Uint8Array, flags: ScriptFlags): Fault => {
  const last = bytes.length - 1
  if ((flags & ScriptFlag.MINIMALDATA) === 0 || last < 0 || (bytes[last]! & 0x7f) !== 0) return NO_FAULT
  return last > 0 && bytes[last - 1]! > 0x7f ? NO_FAULT : fault("POL-005", ScriptError.SCRIPTNUM)
}
