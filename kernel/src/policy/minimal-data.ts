import type { Bytes } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import type { Machine } from "../machine/machine.ts"
import { Opcode } from "../script/opcode.ts"
import { ScriptError } from "../script/script-error.ts"

/** Reports whether an opcode without data pushes `byte`: OP_1NEGATE or OP_1 to OP_16. */
const hasOwnOpcode = (byte: number): boolean => byte === 0x81 || (byte >= 1 && byte <= 16)

/** The shortest opcode before `length` bytes of data; up to 75 bytes it is their number. */
const shortestOpcode = (length: number): number =>
  length <= 255 ? Math.min(length, Opcode.OP_PUSHDATA1) : length <= 65535 ? Opcode.OP_PUSHDATA2 : Opcode.OP_PUSHDATA4

/**
 * An executed push uses the shortest opcode that exists for its data. Precondition: `m.opcode` is a push of data.
 *
 * @spec POL-004 #89d98d40
 */
export const pushIsMinimal = (m: Machine): Fault => {
  if ((m.flags & ScriptFlag.MINIMALDATA) === 0) return NO_FAULT
  const length = m.dataEnd - m.dataStart
  const wasteful = length === 1 && hasOwnOpcode(m.script[m.dataStart]!)
  return m.opcode === shortestOpcode(length) && !wasteful ? NO_FAULT : fault("POL-004", ScriptError.MINIMALDATA)
}

/**
 * A number operand has no byte too many: its last byte is more than a sign, unless the byte before has no bit left for
 * that sign.
 *
 * @spec POL-005 #acee7795
 */
export const numberIsMinimal = (bytes: Bytes, flags: ScriptFlags): Fault => {
  const last = bytes.length - 1
  if ((flags & ScriptFlag.MINIMALDATA) === 0 || last < 0 || (bytes[last]! & 0x7f) !== 0) return NO_FAULT
  return last > 0 && bytes[last - 1]! > 0x7f ? NO_FAULT : fault("POL-005", ScriptError.SCRIPTNUM)
}
