import { sameBytes } from "./byte-string.ts"
import { evaluate } from "./evaluate.ts"
import { isPushOnly, pushOf } from "./instructions.ts"
import { truth } from "./script-number.ts"
import type { NaiveSpend } from "./spend.ts"
import type { NaiveStack } from "./stack-functions.ts"
import { verifyProgram, witnessProgram } from "./witness.ts"

/** OP_HASH160, a push of 20 bytes, OP_EQUAL, and nothing else. */
export const isPayToScriptHash = (script: Uint8Array): boolean =>
  script.length === 23 && script[0] === 169 && script[1] === 20 && script[22] === 135

/** The top decides. */
const isTrueOnTop = (stack: NaiveStack): boolean => stack.length > 0 && truth(stack.at(-1)!)

/** Rule and reference name of the first error of an input, or `OK`. Precondition: the flags are closed. */
export const verifyScript = (spend: NaiveSpend): string => {
  const { flags } = spend
  const { script: scriptSig, witness } = spend.tx.inputs[spend.index]!
  const scriptPubKey = spend.spent[spend.index]!.script
  if (flags.has("SIGPUSHONLY") && !isPushOnly(scriptSig)) return "POL-007 SIG_PUSHONLY"
  const pushed = evaluate([], scriptSig, "base", spend)
  if (pushed.error !== "OK") return pushed.error
  const result = evaluate(pushed.stack, scriptPubKey, "base", spend)
  if (result.error !== "OK") return result.error
  if (!isTrueOnTop(result.stack)) return "SCR-011 EVAL_FALSE"
  let final = result.stack
  let hadProgram = false
  const native = flags.has("WITNESS") ? witnessProgram(scriptPubKey) : undefined
  if (native !== undefined) {
    hadProgram = true
    if (scriptSig.length > 0) return "WIT-002 WITNESS_MALLEATED"
    const error = verifyProgram(spend, native.version, native.program, false)
    if (error !== "OK") return error
    final = [final[0]!]
  }
  if (flags.has("P2SH") && isPayToScriptHash(scriptPubKey)) {
    if (!isPushOnly(scriptSig)) return "SCR-021 SIG_PUSHONLY"
    const redeemScript = pushed.stack.at(-1)!
    const redeemed = evaluate(pushed.stack.slice(0, -1), redeemScript, "base", spend)
    if (redeemed.error !== "OK") return redeemed.error
    if (!isTrueOnTop(redeemed.stack)) return "SCR-011 EVAL_FALSE"
    final = redeemed.stack
    const nested = flags.has("WITNESS") ? witnessProgram(redeemScript) : undefined
    if (nested !== undefined) {
      hadProgram = true
      if (!sameBytes(scriptSig, pushOf(redeemScript))) return "WIT-003 WITNESS_MALLEATED_P2SH"
      const error = verifyProgram(spend, nested.version, nested.program, true)
      if (error !== "OK") return error
      final = [final[0]!]
    }
  }
  if (flags.has("CLEANSTACK") && final.length !== 1) return "POL-006 CLEANSTACK"
  if (flags.has("WITNESS") && !hadProgram && witness.length > 0) return "WIT-004 WITNESS_UNEXPECTED"
  return "OK"
}
