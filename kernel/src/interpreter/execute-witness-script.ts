import { evaluateScript } from "./evaluate.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { MAX_SCRIPT_ELEMENT_SIZE } from "../constants.ts"
import type { Bytes } from "../quantities.ts"
import { loadScript, type Machine, peek, push, type SigVersion } from "../machine/machine.ts"
import { ScriptError } from "../script/script-error.ts"
import { isTrue } from "./script-number.ts"

/**
 * Every item a witness script starts with has at most {@link MAX_SCRIPT_ELEMENT_SIZE} bytes, in tapscript too.
 *
 * @spec WIT-008 #b8da0289
 */
export const witnessItemSize = (m: Machine): Fault => {
  for (let i = 0; i < m.depth; i++) {
    if (m.stack[i]!.length > MAX_SCRIPT_ELEMENT_SIZE) return fault("WIT-008", ScriptError.PUSH_SIZE)
  }
  return NO_FAULT
}

/**
 * A witness script leaves exactly one element, and it is true: in witnesses a clean stack is consensus.
 *
 * @spec WIT-009 #e3114e38
 */
export const witnessStackIsClean = (m: Machine): Fault => {
  if (m.depth !== 1) return fault("WIT-009", ScriptError.CLEANSTACK)
  return isTrue(peek(m, 0)) ? NO_FAULT : fault("WIT-009", ScriptError.EVAL_FALSE)
}

/** Makes the first `count` items of `witness` the stack. @internal */
export const loadStack = (m: Machine, witness: ReadonlyArray<Uint8Array>, count: number): void => {
  m.depth = 0
  for (let i = 0; i < count; i++) push(m, witness[i]!)
}

/**
 * Runs a witness script on the stack that `m` holds.
 *
 * @spec WIT-011 #95fb8b50
 */
export const executeWitnessScript = (m: Machine, script: Bytes, version: SigVersion): Fault => {
  const oversized = witnessItemSize(m)
  if (oversized !== NO_FAULT) return oversized
  loadScript(m, script, version)
  const failed = evaluateScript(m)
  return failed !== NO_FAULT ? failed : witnessStackIsClean(m)
}
