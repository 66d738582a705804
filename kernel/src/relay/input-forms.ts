import * as Result from "effect/Result"
import { evaluateScript } from "../interpreter/evaluate.ts"
import { loadScript, type Machine, peek, SigVersion } from "../machine/machine.ts"
import type { SpentOutputs, Transaction } from "../model/transaction.ts"
import type { Bytes } from "../quantities.ts"
import { errorOf, NO_FAULT } from "../script/fault.ts"
import { ScriptFlag } from "../script/flags.ts"
import type { ScriptErrorName } from "../script/script-error.ts"
import { payToScriptHashSigOps } from "../sigops/pay-to-script-hash.ts"
import { scriptSigOps } from "../sigops/script.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { MAX_P2SH_SIGOPS, MAX_TX_LEGACY_SIGOPS } from "./constants.ts"
import { type OutputType, outputType } from "./output-type.ts"

export type TooManyInputSigOps = Violation<"POL-051", { readonly count: number }>
export type SpentFormIsUnknown = Violation<"POL-052", { readonly input: number }>
export type SpentProgramIsUndefined = Violation<"POL-053", { readonly input: number }>
export type ScriptSigFails = Violation<"POL-054", { readonly input: number; readonly scriptError: ScriptErrorName }>
export type RedeemScriptIsMissing = Violation<"POL-055", { readonly input: number }>
export type TooManyRedeemSigOps = Violation<"POL-056", { readonly input: number; readonly count: number }>

/**
 * Signature operations that the inputs may run outside witnesses, counted accurately: in scriptSigs, in the scripts of
 * the outputs that are spent, and in redeem scripts (BIP54). Unlike SOP-004 it counts operations in the transaction
 * that runs them: outputs that a transaction makes do not count.
 *
 * @spec POL-050 #242e07ec
 */
export const inputSigOps = (tx: Transaction, spentOutputs: SpentOutputs): number => {
  let count = 0
  for (let i = 0; i < tx.inputs.length; i++) {
    const { script: scriptSig } = tx.inputs[i]!
    const { script } = spentOutputs[i]!
    // A script hash has no operation in itself, anything else no redeem script: one of the two is always 0.
    count += scriptSigOps(scriptSig, true) + scriptSigOps(script, true) + payToScriptHashSigOps(scriptSig, script)
  }
  return count
}

/**
 * The inputs run at most 2,500 of them.
 *
 * @spec POL-051 #68bea3c4
 */
export const inputSigOpsAreFew = (count: number): Verdict<void, TooManyInputSigOps> =>
  count <= MAX_TX_LEGACY_SIGOPS ? HOLDS : Result.fail(violation("POL-051", { count }))

/**
 * The spent output is of a known form. A multisig of any number of keys is one.
 *
 * @spec POL-052 #3f124fef
 */
export const spentFormIsKnown = (type: OutputType, input: number): Verdict<void, SpentFormIsUnknown> =>
  type.kind === "nonstandard" ? Result.fail(violation("POL-052", { input })) : HOLDS

/**
 * The spent output is no undefined witness program, since it may be given a meaning later. Pay to anchor has one.
 *
 * @spec POL-053 #851bae57
 */
export const spentProgramIsDefined = (type: OutputType, input: number): Verdict<void, SpentProgramIsUndefined> =>
  type.kind === "witness_unknown" ? Result.fail(violation("POL-053", { input })) : HOLDS

/**
 * The scriptSig that redeems a script hash runs alone; its result is on the stack of `m`. Precondition: POL-033, so
 * nothing in it depends on the transaction.
 *
 * @spec POL-054 #084070d7
 */
export const redeemingScriptSigRuns = (m: Machine, scriptSig: Bytes, input: number): Verdict<void, ScriptSigFails> => {
  m.flags = ScriptFlag.NONE
  m.depth = 0
  loadScript(m, scriptSig, SigVersion.BASE)
  const fault = evaluateScript(m)
  return fault === NO_FAULT ? HOLDS : Result.fail(violation("POL-054", { input, scriptError: errorOf(fault) }))
}

/**
 * The scriptSig leaves a redeem script. Precondition: POL-054 has run it on `m`.
 *
 * @spec POL-055 #9dfb6ce7
 */
export const redeemScriptIsPresent = (m: Machine, input: number): Verdict<Bytes, RedeemScriptIsMissing> =>
  m.depth > 0 ? Result.succeed(peek(m, 0)) : Result.fail(violation("POL-055", { input }))

/**
 * A redeem script has at most 15 signature operations, counted accurately.
 *
 * @spec POL-056 #4d60613c
 */
export const redeemSigOpsAreFew = (redeemScript: Bytes, input: number): Verdict<void, TooManyRedeemSigOps> => {
  const count = scriptSigOps(redeemScript, true)
  return count <= MAX_P2SH_SIGOPS ? HOLDS : Result.fail(violation("POL-056", { input, count }))
}

const checkRedeemScript = (m: Machine, scriptSig: Bytes, input: number): Verdict<void, Violation> => {
  const runs = redeemingScriptSigRuns(m, scriptSig, input)
  if (Result.isFailure(runs)) return runs
  const redeemScript = redeemScriptIsPresent(m, input)
  return Result.isFailure(redeemScript)
    ? Result.fail(redeemScript.failure)
    : redeemSigOpsAreFew(redeemScript.success, input)
}

/**
 * Checks the outputs that a transaction spends for relay. Precondition: one spent output per input, and POL-033.
 *
 * @spec POL-057 #43dbd33e
 */
export const checkInputForms = (
  m: Machine,
  tx: Transaction,
  spentOutputs: SpentOutputs
): Verdict<void, Violation> => {
  const few = inputSigOpsAreFew(inputSigOps(tx, spentOutputs))
  if (Result.isFailure(few)) return few
  for (let i = 0; i < tx.inputs.length; i++) {
    const type = outputType(spentOutputs[i]!.script)
    const known = spentFormIsKnown(type, i)
    if (Result.isFailure(known)) return known
    const defined = spentProgramIsDefined(type, i)
    if (Result.isFailure(defined)) return defined
    const redeemed = type.kind === "scripthash" ? checkRedeemScript(m, tx.inputs[i]!.script, i) : HOLDS
    if (Result.isFailure(redeemed)) return redeemed
  }
  return HOLDS
}
