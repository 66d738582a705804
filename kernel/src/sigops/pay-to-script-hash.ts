import type { Bytes } from "../quantities.ts"
import { instructionEnd, lengthFieldSize } from "../script/instruction.ts"
import { Opcode } from "../script/opcode.ts"
import { isPayToScriptHash } from "../interpreter/pay-to-script-hash.ts"
import { scriptSigOps } from "./script.ts"

/**
 * Returns the element that the last instruction of a push-only script pushes, or `undefined` for any other script.
 * Small integers count as pushing nothing, as an empty script does.
 *
 * @internal
 */
export const lastPush = (script: Uint8Array): Uint8Array | undefined => {
  let last = script
  for (let pc = 0; pc < script.length;) {
    const opcode = script[pc]!
    const end = instructionEnd(script, pc)
    if (end > script.length || opcode > Opcode.OP_16) return undefined
    last = script.subarray(pc + 1 + lengthFieldSize(opcode), end)
    pc = end
  }
  return last
}

/**
 * Signature operations of the redeem script of an input, counted accurately; 0 if its output is no script hash or its
 * scriptSig does more than push.
 *
 * @spec SOP-002 #f4f8a72e
 */
export const payToScriptHashSigOps = (scriptSig: Bytes, scriptPubKey: Bytes): number => {
  const redeemScript = isPayToScriptHash(scriptPubKey) ? lastPush(scriptSig) : undefined
  return redeemScript === undefined ? 0 : scriptSigOps(redeemScript, true)
}
