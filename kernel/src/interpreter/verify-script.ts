import * as Result from "effect/Result"
import { scriptSigIsPushOnly, stackIsClean } from "../policy/script-sig.ts"
import { HOLDS, type Verdict } from "../verdict.ts"
import { nativeScriptSigIsEmpty, nestedScriptSigIsOnePush, witnessIsExpected } from "../witness/malleation.ts"
import { witnessProgram } from "../script/witness-program.ts"
import { verifyWitnessProgram } from "./verify-witness-program.ts"
import { evaluateScript } from "./evaluate.ts"
import { type Fault, fault, NO_FAULT, type Outcome, type ScriptFailure, violationOf, YES } from "../script/fault.ts"
import { ScriptFlag } from "../script/flags.ts"
import { loadScript, type Machine, peek, resetMachine, SigVersion, type Spend } from "../machine/machine.ts"
import { isPayToScriptHash, payToScriptHash, redeemingScriptSigIsPushOnly } from "./pay-to-script-hash.ts"
import { ScriptError } from "../script/script-error.ts"
import { isTrue } from "./script-number.ts"

/**
 * The scripts leave something on the stack, and its top is true. What lies below does not matter (POL-006 minds it).
 *
 * @spec SCR-011 #d9eabae1
 */
export const finalStackIsTrue = (m: Machine): Fault =>
  m.depth > 0 && isTrue(peek(m, 0)) ? NO_FAULT : fault("SCR-011", ScriptError.EVAL_FALSE)

const run = (m: Machine, script: Uint8Array): Fault => {
  loadScript(m, script, SigVersion.BASE)
  return evaluateScript(m)
}

/** Judges `script` if it is a witness program, and reports whether it is one. One that holds leaves one element. */
const judgeProgram = (m: Machine, spend: Spend, script: Uint8Array, nested: boolean): Outcome => {
  const program = (spend.flags & ScriptFlag.WITNESS) === 0 ? undefined : witnessProgram(script)
  if (program === undefined) return NO_FAULT
  const { script: scriptSig } = spend.tx.inputs[spend.inputIndex]!
  const malleable = nested ? nestedScriptSigIsOnePush(scriptSig, script) : nativeScriptSigIsEmpty(scriptSig)
  if (malleable !== NO_FAULT) return malleable
  const wrong = verifyWitnessProgram(m, spend, program, nested)
  if (wrong !== NO_FAULT) return wrong
  m.depth = 1
  return YES
}

/**
 * The second half of a script hash: the pattern has replaced `redeemScript` by its result and touched nothing below.
 */
const judgeRedeemScript = (m: Machine, spend: Spend, redeemScript: Uint8Array): Outcome => {
  const notPushOnly = redeemingScriptSigIsPushOnly(spend.tx.inputs[spend.inputIndex]!.script)
  if (notPushOnly !== NO_FAULT) return notPushOnly
  m.stack[m.depth - 1] = redeemScript
  let wrong = payToScriptHash(m)
  if (wrong === NO_FAULT) wrong = finalStackIsTrue(m)
  return wrong !== NO_FAULT ? wrong : judgeProgram(m, spend, redeemScript, true)
}

/**
 * Runs everything up to a true result. Reports whether some script of the input was a witness program, so that a
 * witness is expected.
 */
const judgeScripts = (m: Machine, spend: Spend): Outcome => {
  const { script: scriptSig } = spend.tx.inputs[spend.inputIndex]!
  const { script: scriptPubKey } = spend.spentOutputs[spend.inputIndex]!
  let wrong = scriptSigIsPushOnly(scriptSig, spend.flags)
  if (wrong === NO_FAULT) wrong = run(m, scriptSig)
  if (wrong !== NO_FAULT) return wrong
  const redeems = (spend.flags & ScriptFlag.P2SH) !== 0 && isPayToScriptHash(scriptPubKey)
  const redeemScript = redeems ? m.stack[m.depth - 1] : undefined
  wrong = run(m, scriptPubKey)
  if (wrong === NO_FAULT) wrong = finalStackIsTrue(m)
  if (wrong !== NO_FAULT) return wrong
  return redeemScript === undefined
    ? judgeProgram(m, spend, scriptPubKey, false)
    : judgeRedeemScript(m, spend, redeemScript)
}

/**
 * Judges one input: scriptSig, then the script of the output it spends on the stack that is left. The redeem script and
 * the witness program follow as the flags say.
 *
 * No part of a scriptSig is ever joined with the other script. Each is evaluated on its own, or a scriptSig could end
 * in a push that swallows the condition (CVE-2010-5141).
 *
 * Precondition: `spend.inputIndex` names an input and its spent output.
 *
 * @spec SCR-014 #e7b29d67
 */
export const verifyScript = (m: Machine, spend: Spend): Verdict<void, ScriptFailure> => {
  resetMachine(m, spend)
  const judged = judgeScripts(m, spend)
  const hadProgram = judged === YES
  let wrong = judged === YES ? NO_FAULT : judged
  if (wrong === NO_FAULT) wrong = stackIsClean(m.depth, spend.flags)
  if (wrong === NO_FAULT && (spend.flags & ScriptFlag.WITNESS) !== 0) {
    wrong = witnessIsExpected(spend.tx.inputs[spend.inputIndex]!.witness, hadProgram)
  }
  return wrong === NO_FAULT ? HOLDS : Result.fail(violationOf(wrong))
}
