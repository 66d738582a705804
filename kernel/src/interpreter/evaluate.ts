import { separatorIsAbsent } from "../policy/script-code.ts"
import { HANDLERS } from "./dispatch.ts"
import { type Fault, NO_FAULT } from "../script/fault.ts"
import { readInstruction } from "../machine/read-instruction.ts"
import { hasLegacyLimits, opcodeCount, opcodeIsEnabled, pushSize, scriptSize, stackSize } from "../machine/limits.ts"
import type { Machine } from "../machine/machine.ts"
import { conditionalsAreBalanced } from "./op/flow.ts"
import { Opcode } from "../script/opcode.ts"

/** Returns the fault of an instruction that applies in every branch. The order decides which fault is reported. */
const formFault = (m: Machine, counted: boolean): Fault => {
  const tooLong = pushSize(m.dataEnd - m.dataStart)
  if (tooLong !== NO_FAULT) return tooLong
  if (m.opcode <= Opcode.OP_16) return NO_FAULT
  const tooMany = counted ? opcodeCount(++m.opcodes) : NO_FAULT
  if (tooMany !== NO_FAULT) return tooMany
  const disabled = opcodeIsEnabled(m.opcode)
  return disabled !== NO_FAULT ? disabled : separatorIsAbsent(m.opcode, m.version, m.flags)
}

/** Reports whether the instruction is run: conditionals in every branch, anything else only in an executed one. */
const isRun = (m: Machine): boolean => m.firstFalse < 0 || (m.opcode >= Opcode.OP_IF && m.opcode <= Opcode.OP_ENDIF)

/**
 * Runs the script that `m` has loaded on the stack that it holds.
 *
 * Per instruction: its form, in every branch; then, where it is run, its opcode's rule; then the size of both stacks.
 * The order is part of the rule: it decides which error is reported. It also decides that an oversized push is refused
 * even in a branch that is not executed.
 *
 * @spec SCR-013 #c4904675
 */
export const evaluateScript = (m: Machine): Fault => {
  const tooLong = scriptSize(m.script, m.version)
  if (tooLong !== NO_FAULT) return tooLong
  const counted = hasLegacyLimits(m.version)
  const size = m.script.length
  while (m.pc < size) {
    let wrong = readInstruction(m)
    if (wrong === NO_FAULT) wrong = formFault(m, counted)
    if (wrong === NO_FAULT && isRun(m)) wrong = HANDLERS[m.opcode]!(m)
    if (wrong === NO_FAULT) wrong = stackSize(m.depth, m.altDepth)
    if (wrong !== NO_FAULT) return wrong
    m.instruction++
  }
  return conditionalsAreBalanced(m)
}
