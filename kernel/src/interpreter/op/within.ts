import { type Fault, fault, NO_FAULT } from "../../script/fault.ts"
import type { Machine } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { operand, operandFault, truth } from "../script-number.ts"

/**
 * OP_WITHIN: x min max → whether min ≤ x < max.
 *
 * @spec OPC-165 #1e3a22b2
 */
export const opWithin = (m: Machine): Fault => {
  if (m.depth < 3) return fault("OPC-165", ScriptError.INVALID_STACK_OPERATION)
  for (let index = 2; index >= 0; index--) {
    const wrong = operandFault(m, index)
    if (wrong !== NO_FAULT) return wrong
  }
  const x = operand(m, 2)
  const within = operand(m, 1) <= x && x < operand(m, 0)
  m.depth -= 2
  m.stack[m.depth - 1] = truth(within)
  return NO_FAULT
}
