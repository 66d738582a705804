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

/** What the scripts leave, and whether a witness program was among them. */
interface Left {
  readonly stack: NaiveStack
  readonly hadProgram: boolean
}

/** The two scripts one after the other; `pushed` is what the scriptSig leaves alone. */
const evaluateBoth = (spend: NaiveSpend): { readonly pushed: NaiveStack; readonly stack: NaiveStack } | string => {
  const pushed = evaluate([], spend.tx.inputs[spend.index]!.script, "base", spend)
  if (pushed.error !== "OK") return pushed.error
  const result = evaluate(pushed.stack, spend.spent[spend.index]!.script, "base", spend)
  if (result.error !== "OK") return result.error
  return isTrueOnTop(result.stack) ? { pushed: pushed.stack, stack: result.stack } : "SCR-011 EVAL_FALSE"
}

/** `script`, which has just held and left `stack`, as a witness program, if it is one. */
const judgeProgram = (spend: NaiveSpend, script: Uint8Array, stack: NaiveStack, isNested: boolean): Left | string => {
  const program = spend.flags.has("WITNESS") ? witnessProgram(script) : undefined
  if (program === undefined) return { stack, hadProgram: false }
  const scriptSig = spend.tx.inputs[spend.index]!.script
  if (!isNested && scriptSig.length > 0) return "WIT-002 WITNESS_MALLEATED"
  if (isNested && !sameBytes(scriptSig, pushOf(script))) return "WIT-003 WITNESS_MALLEATED_P2SH"
  const error = verifyProgram(spend, program.version, program.program, isNested)
  return error === "OK" ? { stack: stack.slice(0, 1), hadProgram: true } : error
}

const redeem = (spend: NaiveSpend, pushed: NaiveStack): Left | string => {
  if (!isPushOnly(spend.tx.inputs[spend.index]!.script)) return "SCR-021 SIG_PUSHONLY"
  const redeemScript = pushed.at(-1)!
  const result = evaluate(pushed.slice(0, -1), redeemScript, "base", spend)
  if (result.error !== "OK") return result.error
  if (!isTrueOnTop(result.stack)) return "SCR-011 EVAL_FALSE"
  return judgeProgram(spend, redeemScript, result.stack, true)
}

/** Rule and reference name of the first error of an input, or `OK`. Precondition: the flags are closed. */
export const verifyScript = (spend: NaiveSpend): string => {
  const { flags } = spend
  const { script: scriptSig, witness } = spend.tx.inputs[spend.index]!
  const scriptPubKey = spend.spent[spend.index]!.script
  if (flags.has("SIGPUSHONLY") && !isPushOnly(scriptSig)) return "POL-007 SIG_PUSHONLY"
  const both = evaluateBoth(spend)
  if (typeof both === "string") return both
  const left = flags.has("P2SH") && isPayToScriptHash(scriptPubKey)
    ? redeem(spend, both.pushed)
    : judgeProgram(spend, scriptPubKey, both.stack, false)
  if (typeof left === "string") return left
  if (flags.has("CLEANSTACK") && left.stack.length !== 1) return "POL-006 CLEANSTACK"
  return flags.has("WITNESS") && !left.hadProgram && witness.length > 0 ? "WIT-004 WITNESS_UNEXPECTED" : "OK"
}
