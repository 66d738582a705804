import type { Bytes } from "../quantities.ts"
import { evaluateScript } from "./evaluate.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { isPushOnly } from "../script/instruction.ts"
import { loadScript, type Machine, peek, SigVersion } from "../machine/machine.ts"
import { Opcode } from "../script/opcode.ts"
import { ScriptError } from "../script/script-error.ts"

/**
 * Reports whether a script is HASH160 ‹20 bytes› EQUAL, byte for byte. The same meaning in other bytes is no script
 * hash.
 *
 * @spec SCR-020 #5cbd0474
 */
export const isPayToScriptHash = (script: Bytes): boolean =>
  script.length === 23 && script[0] === Opcode.OP_HASH160 && script[1] === 20 && script[22] === Opcode.OP_EQUAL

/**
 * The scriptSig that redeems a script hash only pushes (BIP16).
 *
 * @spec SCR-021 #544758ce
 */
export const redeemingScriptSigIsPushOnly = (scriptSig: Bytes): Fault =>
  isPushOnly(scriptSig) ? NO_FAULT : fault("SCR-021", ScriptError.SIG_PUSHONLY)

/**
 * Runs the redeem script, which is on top of what the scriptSig left, on the rest of it.
 *
 * Precondition: SCR-021, and the stack is not empty: the output's own script has compared the top with its hash.
 *
 * @spec SCR-022 #14773974
 */
export const payToScriptHash = (m: Machine): Fault => {
  const redeemScript = peek(m, 0)
  m.depth--
  loadScript(m, redeemScript, SigVersion.BASE)
  return evaluateScript(m)
}
