import { upgradableNopIsUnused } from "../../policy/upgradable.ts"
import { type Fault, fault } from "../../script/fault.ts"
import type { Machine } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"

/**
 * An opcode without meaning fails when it is executed; OP_VERIF and OP_VERNOTIF, which are among the conditionals, fail
 * even in a branch that is not executed.
 *
 * @spec SCR-012 #d7d9d221
 */
export const opUnknown = (_m: Machine): Fault => fault("SCR-012", ScriptError.BAD_OPCODE)

/**
 * OP_NOP1 and OP_NOP4 to OP_NOP10 do nothing yet.
 *
 * @spec OPC-176 #bac1f433
 */
export const opUpgradableNop = (m: Machine): Fault => upgradableNopIsUnused(m.flags)
